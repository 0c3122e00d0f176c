#include "picture.h"

static uint32_t number(const uint8_t *at, int size, int is_little) {
    uint32_t value = 0;
    for (int index = 0; index < size; index++) value |= (uint32_t)at[index] << 8 * (is_little ? index : size - 1 - index);
    return value;
}

int exif_orientation(const uint8_t *exif, size_t length) {
    if (length < 8) return 1;
    int is_little = exif[0] == 'I';
    if (exif[0] != exif[1] || (!is_little && exif[0] != 'M')) return 1;
    size_t directory = number(exif + 4, 4, is_little);
    if (directory > length || length - directory < 2) return 1;
    size_t count = number(exif + directory, 2, is_little);
    for (size_t index = 0; index < count; index++) {
        size_t entry = directory + 2 + 12 * index;
        if (entry > length || length - entry < 12) return 1;
        if (number(exif + entry, 2, is_little) != 0x0112) continue;
        uint32_t value = number(exif + entry + 8, 2, is_little);
        return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}
