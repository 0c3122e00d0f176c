#include "picture.h"

#include <stdlib.h>
#include <string.h>

int is_fit(uint64_t width, uint64_t height) {
    return width >= 1 && height >= 1 && width <= MOST_SIDE && height <= MOST_SIDE && width * height <= MOST_PIXELS;
}

void free_picture(struct picture *picture) {
    free(picture->pixels);
    free(picture->profile);
    memset(picture, 0, sizeof *picture);
}

void free_answer(struct answer *answer) {
    free(answer->full.data);
    free(answer->thumbnail.data);
    memset(answer, 0, sizeof *answer);
}

static enum verdict decode(const uint8_t *data, size_t length, struct picture *picture, enum format *format) {
    static const uint8_t png[8] = {0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a};
    if (length > 3 && data[0] == 0xff && data[1] == 0xd8 && data[2] == 0xff) {
        *format = format_jpeg;
        return decode_jpeg(data, length, picture);
    }
    if (length > sizeof png && memcmp(data, png, sizeof png) == 0) {
        *format = format_png;
        return decode_png(data, length, picture);
    }
    if (length > 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0) {
        *format = format_webp;
        return decode_webp(data, length, picture);
    }
    return unsupported;
}

void fit(int *width, int *height, int side) {
    if (*width <= side && *height <= side) return;
    if (*width >= *height) {
        *height = (int)((double)*height * side / *width + 0.5);
        *width = side;
    } else {
        *width = (int)((double)*width * side / *height + 0.5);
        *height = side;
    }
    if (*width < 1) *width = 1;
    if (*height < 1) *height = 1;
}

// As good as it can be in the bytes that there are for it; smaller, where even the least quality takes more.
static int encode(struct picture *picture, enum format wanted, struct answer *answer) {
    static const int qualities[] = {82, 72, 60, 45};
    if (wanted == format_png) {
        answer->format = format_png;
        if (encode_png(picture, &answer->full) && answer->full.length <= KEPT_BYTES) return 1;
        free(answer->full.data);
        answer->full.data = NULL;
    }
    answer->format = picture->has_alpha || wanted == format_webp ? format_webp : format_jpeg;
    while (1) {
        for (size_t index = 0; index < sizeof qualities / sizeof qualities[0]; index++) {
            int is_encoded = answer->format == format_webp ? encode_webp(picture, qualities[index], &answer->full)
                                                           : encode_jpeg(picture, qualities[index], &answer->full);
            if (!is_encoded) return 0;
            if (answer->full.length <= KEPT_BYTES) return 1;
            free(answer->full.data);
            answer->full.data = NULL;
        }
        int width = picture->width * 4 / 5, height = picture->height * 4 / 5;
        if (width < 16 || height < 16 || !resize(picture, width, height)) return 0;
    }
}

// The square in the middle.
static int make_thumbnail(const struct picture *picture, struct answer *answer) {
    int side = picture->width < picture->height ? picture->width : picture->height;
    struct window middle = {(picture->width - side) / 2, (picture->height - side) / 2, side, side};
    struct picture square = {.width = THUMBNAIL_SIDE, .height = THUMBNAIL_SIDE, .has_alpha = picture->has_alpha};
    square.pixels = resized(picture, middle, THUMBNAIL_SIDE, THUMBNAIL_SIDE);
    int is_made = square.pixels != NULL;
    if (is_made && square.has_alpha) {
        answer->thumbnail_format = format_webp;
        is_made = encode_webp(&square, 75, &answer->thumbnail);
    } else if (is_made) {
        answer->thumbnail_format = format_jpeg;
        is_made = encode_jpeg(&square, 80, &answer->thumbnail);
    }
    free_picture(&square);
    return is_made;
}

static int make_blurhash(const struct picture *picture, struct answer *answer) {
    struct window whole = {0, 0, picture->width, picture->height};
    struct picture small = {.width = picture->width, .height = picture->height};
    fit(&small.width, &small.height, 32);
    small.pixels = resized(picture, whole, small.width, small.height);
    if (small.pixels == NULL) return 0;
    write_blurhash(&small, answer->blurhash);
    free_picture(&small);
    return 1;
}

enum verdict make_picture(const uint8_t *data, size_t length, struct answer *answer) {
    struct picture picture;
    enum format format;
    memset(answer, 0, sizeof *answer);
    memset(&picture, 0, sizeof picture);
    picture.orientation = 1;
    enum verdict verdict = decode(data, length, &picture, &format);
    if (verdict == made) {
        int width = picture.width, height = picture.height;
        fit(&width, &height, KEPT_SIDE);
        int is_made = resize(&picture, width, height);
        if (is_made) {
            to_srgb(&picture);
            is_made = turn_upright(&picture);
        }
        if (is_made) {
            find_alpha(&picture);
            is_made = make_thumbnail(&picture, answer) && make_blurhash(&picture, answer)
                && encode(&picture, format, answer);
        }
        answer->width = picture.width;
        answer->height = picture.height;
        if (!is_made) verdict = unreadable;
    }
    free_picture(&picture);
    if (verdict != made) free_answer(answer);
    return verdict;
}
