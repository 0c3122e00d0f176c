#include "picture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// A picture that is sent in more steps than this is made to cost time.
#define MOST_SCANS 100

struct trouble {
    struct jpeg_error_mgr manager;
    jmp_buf back;
    int is_cut;
};

static void fail(j_common_ptr info) { longjmp(((struct trouble *)info->err)->back, 1); }

static void note(j_common_ptr info, int level) {
    struct trouble *trouble = (struct trouble *)info->err;
    int code = info->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) trouble->is_cut = 1;
}

static void count_scans(j_common_ptr info) {
    if (info->is_decompressor && ((j_decompress_ptr)info)->input_scan_number > MOST_SCANS) fail(info);
}

static void read_exif(struct jpeg_decompress_struct *info, struct picture *picture) {
    for (jpeg_saved_marker_ptr marker = info->marker_list; marker != NULL; marker = marker->next) {
        if (marker->marker != JPEG_APP0 + 1 || marker->data_length < 6) continue;
        if (memcmp(marker->data, "Exif\0", 6) != 0) continue;
        picture->orientation = exif_orientation(marker->data + 6, marker->data_length - 6);
        return;
    }
}

enum verdict decode_jpeg(const uint8_t *data, size_t length, struct picture *picture) {
    struct jpeg_decompress_struct info;
    struct jpeg_progress_mgr progress;
    struct trouble trouble;
    struct scaling scaling;
    memset(&info, 0, sizeof info);
    memset(&progress, 0, sizeof progress);
    memset(&trouble, 0, sizeof trouble);
    memset(&scaling, 0, sizeof scaling);
    info.err = jpeg_std_error(&trouble.manager);
    trouble.manager.error_exit = fail;
    trouble.manager.emit_message = note;
    if (setjmp(trouble.back)) {
        free(end_scaling(&scaling));
        jpeg_destroy_decompress(&info);
        return unreadable;
    }
    jpeg_create_decompress(&info);
    progress.progress_monitor = count_scans;
    info.progress = &progress;
    jpeg_mem_src(&info, data, length);
    jpeg_save_markers(&info, JPEG_APP0 + 1, 0xffff);
    jpeg_save_markers(&info, JPEG_APP0 + 2, 0xffff);
    jpeg_read_header(&info, TRUE);
    if (!is_fit(info.image_width, info.image_height)) {
        jpeg_destroy_decompress(&info);
        return unreadable;
    }
    read_exif(&info, picture);
    JOCTET *profile = NULL;
    unsigned int profile_length = 0;
    if (jpeg_read_icc_profile(&info, &profile, &profile_length)) {
        picture->profile = profile;
        picture->profile_length = profile_length;
    }
    // Decoding at half the size, or less, takes a fraction of the time.
    unsigned int side = info.image_width > info.image_height ? info.image_width : info.image_height;
    info.scale_num = 1;
    info.scale_denom = 1;
    while (info.scale_denom < 8 && side / (info.scale_denom * 2) >= KEPT_SIDE) info.scale_denom *= 2;
    picture->is_solid = 1;
    picture->is_cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = picture->is_cmyk ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg_start_decompress(&info);
    int width = (int)info.output_width, height = (int)info.output_height;
    picture->width = width;
    picture->height = height;
    fit(&picture->width, &picture->height, KEPT_SIDE);
    if (!begin_scaling(&scaling, width, height, picture->width, picture->height, 1)) fail((j_common_ptr)&info);
    JDIMENSION row = (JDIMENSION)width * 4;
    JSAMPARRAY line = info.mem->alloc_sarray((j_common_ptr)&info, JPOOL_IMAGE, row, 1);
    int is_to_invert = picture->is_cmyk && !info.saw_Adobe_marker;
    while (info.output_scanline < info.output_height) {
        jpeg_read_scanlines(&info, line, 1);
        for (JDIMENSION index = 0; is_to_invert && index < row; index++) line[0][index] = (JSAMPLE)(255 - line[0][index]);
        scale_line(&scaling, line[0]);
    }
    picture->pixels = end_scaling(&scaling);
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    return trouble.is_cut ? unreadable : made;
}
