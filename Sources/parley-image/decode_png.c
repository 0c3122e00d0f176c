#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include <spng.h>

static enum verdict read_png(spng_ctx *context, struct picture *picture) {
    struct spng_ihdr header;
    if (spng_get_ihdr(context, &header) != 0 || !is_fit(header.width, header.height)) return unreadable;
    size_t size;
    if (spng_decoded_image_size(context, SPNG_FMT_RGBA8, &size) != 0) return unreadable;
    picture->width = (int)header.width;
    picture->height = (int)header.height;
    if (size != (size_t)picture->width * (size_t)picture->height * 4) return unreadable;
    picture->pixels = malloc(size);
    if (picture->pixels == NULL) return unreadable;
    if (spng_decode_image(context, picture->pixels, size, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS) != 0) return unreadable;
    // What comes behind the pixels may say how they are to be turned.
    spng_decode_chunks(context);
    struct spng_iccp profile;
    if (spng_get_iccp(context, &profile) == 0 && profile.profile_len > 0) {
        picture->profile = malloc(profile.profile_len);
        if (picture->profile != NULL) {
            memcpy(picture->profile, profile.profile, profile.profile_len);
            picture->profile_length = profile.profile_len;
        }
    }
    struct spng_exif exif;
    if (spng_get_exif(context, &exif) == 0) {
        picture->orientation = exif_orientation((const uint8_t *)exif.data, exif.length);
    }
    return made;
}

enum verdict decode_png(const uint8_t *data, size_t length, struct picture *picture) {
    spng_ctx *context = spng_ctx_new(0);
    if (context == NULL) return unreadable;
    enum verdict verdict = unreadable;
    if (spng_set_image_limits(context, MOST_SIDE, MOST_SIDE) == 0
        && spng_set_chunk_limits(context, 4 << 20, 16 << 20) == 0 && spng_set_png_buffer(context, data, length) == 0) {
        verdict = read_png(context, picture);
    }
    spng_ctx_free(context);
    return verdict;
}
