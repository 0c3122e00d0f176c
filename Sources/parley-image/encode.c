#include "picture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <spng.h>
#include <webp/encode.h>

struct trouble {
    struct jpeg_error_mgr manager;
    jmp_buf back;
};

static void fail(j_common_ptr info) { longjmp(((struct trouble *)info->err)->back, 1); }
static void keep_quiet(j_common_ptr info, int level) {
    (void)info;
    (void)level;
}

// With nothing in it but the picture.
int encode_jpeg(const struct picture *picture, int quality, struct bytes *out) {
    struct jpeg_compress_struct info;
    struct trouble trouble;
    unsigned char *data = NULL;
    unsigned long length = 0;
    memset(&info, 0, sizeof info);
    info.err = jpeg_std_error(&trouble.manager);
    trouble.manager.error_exit = fail;
    trouble.manager.emit_message = keep_quiet;
    if (setjmp(trouble.back)) {
        jpeg_destroy_compress(&info);
        free(data);
        return 0;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data, &length);
    info.image_width = (JDIMENSION)picture->width;
    info.image_height = (JDIMENSION)picture->height;
    info.input_components = 4;
    info.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    info.optimize_coding = TRUE;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW line = picture->pixels + (size_t)info.next_scanline * picture->width * 4;
        jpeg_write_scanlines(&info, &line, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    out->data = data;
    out->length = length;
    return 1;
}

int encode_png(const struct picture *picture, struct bytes *out) {
    int channels = picture->has_alpha ? 4 : 3;
    size_t count = (size_t)picture->width * picture->height;
    uint8_t *packed = NULL;
    if (!picture->has_alpha) {
        packed = malloc(count * 3);
        if (packed == NULL) return 0;
        for (size_t index = 0; index < count; index++) memcpy(packed + 3 * index, picture->pixels + 4 * index, 3);
    }
    spng_ctx *context = spng_ctx_new(SPNG_CTX_ENCODER);
    struct spng_ihdr header = {
        .width = (uint32_t)picture->width,
        .height = (uint32_t)picture->height,
        .bit_depth = 8,
        .color_type = picture->has_alpha ? SPNG_COLOR_TYPE_TRUECOLOR_ALPHA : SPNG_COLOR_TYPE_TRUECOLOR,
    };
    int error = -1;
    if (context != NULL && spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1) == 0
        && spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 4) == 0 && spng_set_ihdr(context, &header) == 0
        && spng_encode_image(
               context, packed != NULL ? packed : picture->pixels, count * (size_t)channels, SPNG_FMT_PNG,
               SPNG_ENCODE_FINALIZE
           ) == 0) {
        out->data = spng_get_png_buffer(context, &out->length, &error);
    }
    spng_ctx_free(context);
    free(packed);
    return error == 0 && out->data != NULL;
}

int encode_webp(const struct picture *picture, int quality, struct bytes *out) {
    WebPConfig config;
    WebPPicture frame;
    WebPMemoryWriter writer;
    if (!WebPConfigPreset(&config, WEBP_PRESET_PHOTO, (float)quality) || !WebPPictureInit(&frame)) return 0;
    // The standard takes twice as long for a few per cent.
    config.method = 3;
    frame.width = picture->width;
    frame.height = picture->height;
    WebPMemoryWriterInit(&writer);
    frame.writer = WebPMemoryWrite;
    frame.custom_ptr = &writer;
    int is_made = WebPPictureImportRGBA(&frame, picture->pixels, picture->width * 4) && WebPEncode(&config, &frame);
    WebPPictureFree(&frame);
    if (!is_made) {
        WebPMemoryWriterClear(&writer);
        return 0;
    }
    out->data = writer.mem;
    out->length = writer.size;
    return 1;
}
