#include "picture.h"

#include <stdlib.h>

#include <lcms2.h>

// Where nothing is said of the inks: as screens show them without a profile.
static void mix_inks(struct picture *picture) {
    size_t count = (size_t)picture->width * picture->height;
    for (size_t index = 0; index < count; index++) {
        uint8_t *pixel = picture->pixels + 4 * index;
        for (int channel = 0; channel < 3; channel++) pixel[channel] = (uint8_t)(pixel[channel] * pixel[3] / 255);
        pixel[3] = 255;
    }
    picture->is_cmyk = 0;
}

static int convert(struct picture *picture) {
    if (picture->profile == NULL || picture->profile_length > UINT32_MAX) return 0;
    cmsHPROFILE from = cmsOpenProfileFromMem(picture->profile, (cmsUInt32Number)picture->profile_length);
    cmsHPROFILE to = cmsCreate_sRGBProfile();
    int is_converted = 0;
    cmsColorSpaceSignature space = picture->is_cmyk ? cmsSigCmykData : cmsSigRgbData;
    if (from != NULL && to != NULL && cmsGetColorSpace(from) == space) {
        cmsUInt32Number type = picture->is_cmyk ? TYPE_CMYK_8_REV : TYPE_RGBA_8;
        cmsUInt32Number flags = picture->is_cmyk ? 0 : cmsFLAGS_COPY_ALPHA;
        cmsHTRANSFORM transform = cmsCreateTransform(from, type, to, TYPE_RGBA_8, INTENT_PERCEPTUAL, flags);
        if (transform != NULL) {
            cmsDoTransform(
                transform, picture->pixels, picture->pixels,
                (cmsUInt32Number)picture->width * (cmsUInt32Number)picture->height
            );
            cmsDeleteTransform(transform);
            is_converted = 1;
        }
    }
    if (from != NULL) cmsCloseProfile(from);
    if (to != NULL) cmsCloseProfile(to);
    return is_converted;
}

static int compare(const void *one, const void *other) { return *(const uint8_t *)one - *(const uint8_t *)other; }

void warm_up(void) {
    cmsHPROFILE profile = cmsCreate_sRGBProfile();
    if (profile != NULL) cmsCloseProfile(profile);
    uint8_t bytes[4096] = {0};
    qsort(bytes, sizeof bytes, 1, compare);
}

void to_srgb(struct picture *picture) {
    int is_converted = convert(picture);
    if (picture->is_cmyk && is_converted) {
        size_t count = (size_t)picture->width * picture->height;
        for (size_t index = 0; index < count; index++) picture->pixels[4 * index + 3] = 255;
        picture->is_cmyk = 0;
    } else if (picture->is_cmyk) {
        mix_inks(picture);
    }
}
