# cmake -DIN=FILE -DOUT=STEM -P EmbedBytes.cmake: STEM.c and STEM.h with the file's bytes as cz_<name of STEM>[].
get_filename_component(name "${OUT}" NAME)
file(READ "${IN}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}.h" "enum { cz_${name}_size = ${size} };\nextern const unsigned char cz_${name}[cz_${name}_size];\n")
file(WRITE "${OUT}.c" "#include \"${name}.h\"\nconst unsigned char cz_${name}[cz_${name}_size] = {\n${bytes}};\n")
