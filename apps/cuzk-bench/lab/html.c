/* html.c: see html.h. */
#include "html.h"

/* Light and dark by the reader's choice; plots take their lines from the same colours. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
    ":root{--bg:#fff;--ink:#1d2430;--dim:#667085;--line:#e4e7ec;--tag:#f2f4f7;"
    "--good:#2e7d32;--bad:#c62828}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14181f;--ink:#e6e9ef;--dim:#98a2b3;"
    "--line:#2c3440;--tag:#222935;--good:#66bb6a;--bad:#ef5350}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1120px;margin:32px auto;padding:0 20px;"
    "background:var(--bg);color:var(--ink)}\n"
    "h1{font-size:28px;margin:0}h1 span{font-weight:400;color:var(--dim);margin-left:8px}\n"
    "h2{font-size:19px;margin:36px 0 10px}.lead{font-size:16px;margin:8px 0 12px}\n"
    ".tags span{background:var(--tag);border-radius:6px;padding:3px 9px;margin-right:8px;"
    "font-size:13px}\n"
    ".note,small{color:var(--dim);font-size:12.5px}.note{max-width:80ch}\n"
    "table{border-collapse:collapse;width:100%}th{font-weight:600;font-size:12.5px;"
    "color:var(--dim);text-align:left;vertical-align:bottom}\n"
    "td,th{padding:6px 10px;border-bottom:1px solid var(--line)}td{vertical-align:middle}\n"
    ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".name{max-width:260px}.dense td,.dense th{padding:3px 8px;font-size:13px;line-height:1.25}\n"
    "code{font-size:12.5px;background:var(--tag);border-radius:4px;padding:1px 5px;"
    "white-space:nowrap}\n"
    ".pill{display:inline-block;border-radius:999px;padding:2px 11px;font-size:13px;"
    "white-space:nowrap;background:var(--tag)}.pill.good{background:var(--good);color:var(--bg)}"
    ".pill.bad{background:var(--bad);color:var(--bg)}\n"
    ".facts td:first-child{color:var(--dim);width:190px}.key{display:inline-block;width:11px;"
    "height:11px;border-radius:3px;margin-right:6px}\n"
    "svg{display:block;max-width:100%;height:auto}svg text{font-size:12px;fill:var(--dim)}"
    "svg .label{fill:var(--ink)}.axis{stroke:var(--line)}.one{stroke:var(--dim);"
    "stroke-dasharray:3 3}.mark{stroke:var(--ink);stroke-width:2}\n"
    ".good{color:var(--good)}.bad{color:var(--bad)}.noise{color:var(--dim)}"
    ".legend span{margin-right:14px;font-size:13px;white-space:nowrap}\n</style>\n";

void html_escaped(cz_text_out *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            cz_text_puts(out, "&amp;");
            break;
        case '<':
            cz_text_puts(out, "&lt;");
            break;
        case '>':
            cz_text_puts(out, "&gt;");
            break;
        case '"':
            cz_text_puts(out, "&quot;");
            break;
        default:
            cz_text_put(out, text, 1);
        }
}

void html_begin(cz_text_out *out, const char *title)
{
    cz_text_puts(out, head);
    cz_text_puts(out, "<title>");
    html_escaped(out, title);
    cz_text_puts(out, "</title></head><body>\n");
}

void html_end(cz_text_out *out)
{
    cz_text_puts(out, "</body></html>\n");
}
