/* settings.h: the table of settings; inside config/ and for documentation tools. */
#ifndef CZ_CONFIG_SETTINGS_H
#define CZ_CONFIG_SETTINGS_H

#include "config/config.h"

typedef enum {
    CZ_SETTING_BOOL,
    CZ_SETTING_UINT,
    CZ_SETTING_SIZE,      /* bytes, "256GiB" */
    CZ_SETTING_AUTO_SIZE, /* the same, or "auto" */
    CZ_SETTING_DURATION,  /* milliseconds, "5m"; a bare integer is seconds */
    CZ_SETTING_TEXT,
    CZ_SETTING_PATH,   /* a file or folder; no shell expands it */
    CZ_SETTING_CHOICE, /* one of `choices` */
    CZ_SETTING_UINT_LIST,
    CZ_SETTING_TEXT_LIST
} cz_setting_type;

typedef struct {
    const char *name; /* "memory.total_budget" */
    cz_setting_type type;
    const char *unit;     /* for people: "bytes", "threads", … */
    uint64_t min, max;    /* of numbers and of a list's items */
    const char *fallback; /* the default, as TOML */
    const char *choices;  /* "auto|cpu|cuda" */
    bool live;            /* takes effect on SIGHUP */
    size_t offset;        /* in cz_config */
    const char *help;     /* one line */
} cz_setting;

/** The table in the order of the example file; *n rows. */
const cz_setting *cz_settings(size_t *n);
const cz_setting *cz_setting_find(const char *name);

/* A key of an earlier engine. */
typedef struct {
    const char *name;
    const char *maps_to; /* a setting of compatible type, or NULL: has no effect */
    bool zero_is_unset;  /* its 0 meant "not limited": then nothing is mapped */
    const char *why;     /* what to say */
} cz_old_setting;

const cz_old_setting *cz_old_settings(size_t *n);

#endif
