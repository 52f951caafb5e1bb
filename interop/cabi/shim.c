/* The functions of trackgen.h that work in Go. In a forked process a call into Go would wait for ever, because the process
 * has only the thread that forked, so each function tests for that first. */
#include "_cgo_export.h"

#define TG_FUNCTION(name, parameters, arguments) \
  int32_t tg_##name parameters { return tgi_forked() ? tgi_refuse_forked() : tgo_##name arguments; }

TG_FUNCTION(take_warning, (char **json), (json))

TG_FUNCTION(devices, (char **json), (json))
TG_FUNCTION(open, (const char *name, tg_handle *device), (name, device))
TG_FUNCTION(open_with, (const char *name, const char *options, tg_handle *device), (name, options, device))
TG_FUNCTION(device_info, (tg_handle device, char **json), (device, json))
TG_FUNCTION(close, (tg_handle object), (object))

TG_FUNCTION(context_new, (tg_handle device, const tg_context_options *options, tg_handle *context),
            (device, options, context))
TG_FUNCTION(cancel, (tg_handle context), (context))
TG_FUNCTION(is_capturing, (tg_handle device, tg_handle context, int32_t *capturing), (device, context, capturing))
TG_FUNCTION(synchronize, (tg_handle device, tg_handle context), (device, context))
TG_FUNCTION(stream, (tg_handle device, tg_handle context, uint64_t *stream), (device, context, stream))
TG_FUNCTION(order, (tg_handle device, tg_handle context, uint64_t stream), (device, context, stream))

TG_FUNCTION(graph_new, (tg_handle * graph), (graph))
TG_FUNCTION(retain, (tg_handle graph, tg_handle owner), (graph, owner))
TG_FUNCTION(register, (tg_handle context, tg_handle graph, int32_t mode, int32_t conditional, tg_handle *registered),
            (context, graph, mode, conditional, registered))
TG_FUNCTION(registration_end, (tg_handle registered), (registered))
TG_FUNCTION(release_streams, (tg_handle device), (device))

TG_FUNCTION(open_instrumented, (const char *name, tg_handle *device), (name, device))
TG_FUNCTION(guard_new, (tg_handle device, uint32_t watched, int32_t strict, tg_handle *guard),
            (device, watched, strict, guard))
TG_FUNCTION(guard_report, (tg_handle guard, char **json), (guard, json))

TG_FUNCTION(array_new, (tg_handle device, int32_t type, int32_t rank, const int64_t *shape, tg_array *array),
            (device, type, rank, shape, array))
TG_FUNCTION(wrap, (tg_handle device, void *data, int32_t type, int32_t rank, const int64_t *shape,
                   void (*release)(void *user), void *user, tg_array *array),
            (device, data, type, rank, shape, release, user, array))
TG_FUNCTION(array_read, (tg_handle array, void *to, int64_t bytes, tg_handle context), (array, to, bytes, context))
TG_FUNCTION(array_write, (tg_handle array, const void *from, int64_t bytes, tg_handle context),
            (array, from, bytes, context))

TG_FUNCTION(kinds, (char **json), (json))
TG_FUNCTION(fields, (const char *kind, char **json), (kind, json))
TG_FUNCTION(resolve, (const char *kind, const char *config, char **json), (kind, config, json))
TG_FUNCTION(new, (tg_handle device, const char *kind, const char *config, const tg_new_options *options, tg_handle context,
                  tg_handle *producer),
            (device, kind, config, options, context, producer))
TG_FUNCTION(config, (tg_handle producer, char **json), (producer, json))
TG_FUNCTION(generate, (tg_handle producer, tg_handle context), (producer, context))
TG_FUNCTION(regenerate, (tg_handle producer, tg_handle mask, int32_t same_epoch, tg_handle context),
            (producer, mask, same_epoch, context))
TG_FUNCTION(reset, (tg_handle producer, tg_handle mask, tg_handle context), (producer, mask, context))
TG_FUNCTION(bind, (tg_handle producer, const char *name, tg_handle array), (producer, name, array))
TG_FUNCTION(step, (tg_handle producer, tg_handle context), (producer, context))
TG_FUNCTION(step_actions, (tg_handle producer, tg_handle actions, tg_handle context), (producer, actions, context))
TG_FUNCTION(set_seeds, (tg_handle producer, const int32_t *seeds, int64_t count, tg_handle context),
            (producer, seeds, count, context))
TG_FUNCTION(set_epoch, (tg_handle producer, int32_t epoch, tg_handle context), (producer, epoch, context))
TG_FUNCTION(result_count, (tg_handle producer, int32_t *count), (producer, count))
TG_FUNCTION(result_at, (tg_handle producer, int32_t index, tg_array *result), (producer, index, result))
TG_FUNCTION(result, (tg_handle producer, const char *name, tg_array *result), (producer, name, result))

TG_FUNCTION(driver_new, (tg_handle race, double part, tg_handle context, tg_handle *driver),
            (race, part, context, driver))
TG_FUNCTION(driver_update, (tg_handle driver, tg_handle context), (driver, context))

TG_FUNCTION(save, (tg_handle producer, const char *path, const char *options, tg_handle context),
            (producer, path, options, context))
TG_FUNCTION(render, (tg_handle producer, int32_t env, int32_t width, int32_t height, const char *options, uint8_t *rgb,
                     int64_t bytes, tg_handle context),
            (producer, env, width, height, options, rgb, bytes, context))
