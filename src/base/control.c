#include "base/control.h"

#include <stddef.h>
#include <stdio.h>

/* In ascending order. */
static const struct {
    uint32_t first, last;
} ranges[] = {
    {0x0000, 0x001f},   /* C0 */
    {0x007f, 0x009f},   /* DEL, C1 */
    {0x061c, 0x061c},   /* Arabic letter mark */
    {0x180e, 0x180e},   /* Mongolian vowel separator */
    {0x200b, 0x200b},   /* zero width space */
    {0x200e, 0x200f},   /* direction marks */
    {0x2028, 0x202e},   /* separators; embeddings, overrides */
    {0x2060, 0x206f},   /* word joiner …; isolates */
    {0xfeff, 0xfeff},   /* byte order mark */
    {0xfff9, 0xfffb},   /* interlinear annotations */
    {0xe0000, 0xe00ff}, /* tags: ASCII that is not seen */
};

bool control_is(uint32_t point)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]) && point >= ranges[i].first; i++)
        if (point <= ranges[i].last)
            return true;
    return false;
}

int control_escape(uint32_t point, char out[CONTROL_ESCAPE_MAX])
{
    switch (point) {
    case '\n':
        return snprintf(out, CONTROL_ESCAPE_MAX, "\\n");
    case '\t':
        return snprintf(out, CONTROL_ESCAPE_MAX, "\\t");
    case '\r':
        return snprintf(out, CONTROL_ESCAPE_MAX, "\\r");
    case 0x1b:
        return snprintf(out, CONTROL_ESCAPE_MAX, "\\e");
    default:
        return snprintf(out, CONTROL_ESCAPE_MAX, point < 0x100 ? "\\x%02x" : "\\u%04x",
                        (unsigned)point);
    }
}

int control_escape_byte(unsigned char byte, char out[CONTROL_ESCAPE_MAX])
{
    return snprintf(out, CONTROL_ESCAPE_MAX, "\\x%02x", byte);
}
