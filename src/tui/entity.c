#include "tui/entity.h"

#include "base/utf8.h"

#include <stdint.h>

static const struct {
    const char *name, *text;
} names[] = {
    {"amp", "&"},       {"lt", "<"},     {"gt", ">"},     {"quot", "\""},  {"apos", "'"},
    {"nbsp", "\u00a0"}, {"copy", "©"},   {"reg", "®"},    {"trade", "™"},  {"hellip", "…"},
    {"mdash", "—"},     {"ndash", "–"},  {"lsquo", "‘"},  {"rsquo", "’"},  {"ldquo", "“"},
    {"rdquo", "”"},     {"laquo", "«"},  {"raquo", "»"},  {"bull", "•"},   {"middot", "·"},
    {"times", "×"},     {"divide", "÷"}, {"minus", "−"},  {"plusmn", "±"}, {"deg", "°"},
    {"larr", "←"},      {"uarr", "↑"},   {"rarr", "→"},   {"darr", "↓"},   {"harr", "↔"},
    {"rArr", "⇒"},      {"hArr", "⇔"},   {"le", "≤"},     {"ge", "≥"},     {"ne", "≠"},
    {"asymp", "≈"},     {"equiv", "≡"},  {"infin", "∞"},  {"sum", "∑"},    {"prod", "∏"},
    {"radic", "√"},     {"int", "∫"},    {"part", "∂"},   {"isin", "∈"},   {"cap", "∩"},
    {"cup", "∪"},       {"sub", "⊂"},    {"sup", "⊃"},    {"forall", "∀"}, {"exist", "∃"},
    {"and", "∧"},       {"or", "∨"},     {"not", "¬"},    {"empty", "∅"},  {"euro", "€"},
    {"pound", "£"},     {"yen", "¥"},    {"cent", "¢"},   {"sect", "§"},   {"para", "¶"},
    {"micro", "µ"},     {"alpha", "α"},  {"beta", "β"},   {"gamma", "γ"},  {"delta", "δ"},
    {"lambda", "λ"},    {"mu", "μ"},     {"pi", "π"},     {"sigma", "σ"},  {"omega", "ω"},
    {"Delta", "Δ"},     {"Sigma", "Σ"},  {"Omega", "Ω"},  {"auml", "ä"},   {"ouml", "ö"},
    {"uuml", "ü"},      {"Auml", "Ä"},   {"Ouml", "Ö"},   {"Uuml", "Ü"},   {"szlig", "ß"},
    {"eacute", "é"},    {"egrave", "è"}, {"agrave", "à"}, {"ccedil", "ç"}, {"ntilde", "ñ"},
    {"frac12", "½"},    {"frac14", "¼"}, {"check", "✓"},  {"hearts", "♥"}, {"lbrace", "{"},
    {"rbrace", "}"},    {"lbrack", "["}, {"rbrack", "]"}, {"lpar", "("},   {"rpar", ")"},
    {"num", "#"},       {"ast", "*"},    {"lowbar", "_"}, {"grave", "`"},  {"vert", "|"},
    {"bsol", "\\"},     {"sol", "/"},    {"dollar", "$"}, {"percnt", "%"}, {"commat", "@"},
};

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* "#8212", "#x2014"; 0 when it is none. */
static uint32_t number_of(struct str inside)
{
    bool hex = inside.n > 1 && (inside.p[1] == 'x' || inside.p[1] == 'X');
    uint32_t base = hex ? 16 : 10, value = 0;

    if (inside.n < (hex ? 3 : 2) || inside.p[0] != '#')
        return 0;
    for (size_t i = hex ? 2 : 1; i < inside.n; i++) {
        uint32_t digit = (uint32_t)digit_of(inside.p[i]);

        if (digit >= base)
            return 0;
        value = value * base + digit;
        if (value > 0x10ffff)
            return 0xfffd;
    }
    return value == 0 || (value >= 0xd800 && value <= 0xdfff) ? 0xfffd : value;
}

struct str entity_text(struct str entity, struct arena *arena)
{
    struct str inside = {entity.p + 1, entity.n - 2};
    uint32_t point;
    char bytes[4];

    if (entity.n < 3 || entity.p[0] != '&' || entity.p[entity.n - 1] != ';')
        return entity;
    point = number_of(inside);
    if (point)
        return arena_dup(arena, (struct str){bytes, utf8_encode(point, bytes)});
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(inside, str_of(names[i].name)))
            return str_of(names[i].text);
    return entity;
}
