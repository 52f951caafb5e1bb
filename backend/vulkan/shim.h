// The Vulkan calls of this package, one C function per step in Go. Functions that return a VkResult return 0 on
// success.
// No function keeps a pointer to Go memory.

#ifndef TRACKGEN_VULKAN_SHIM_H
#define TRACKGEN_VULKAN_SHIM_H

#include "declarations.h"

// A VkInstance and its functions.
typedef struct tg_instance tg_instance;
// A VkDevice, its single queue and its functions.
typedef struct tg_device tg_device;

// tg_load opens the Vulkan loader, or MoltenVK. It returns NULL, or an error text that the caller frees.
char *tg_load(void);
// tg_layer_present returns whether the validation layer is installed.
int tg_layer_present(void);
// tg_instance_create creates an instance, with the validation layer and synchronisation validation if validation is
// set.
VkResult tg_instance_create(int validation, tg_instance **out);
// tg_instance_devices writes at most *count devices and sets *count to their number.
VkResult tg_instance_devices(tg_instance *instance, VkPhysicalDevice *devices, uint32_t *count);

// The properties of a physical device.
typedef struct {
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  uint8_t device_uuid[16];
  uint8_t driver_uuid[16];
  char driver_name[256];
  char driver_info[256];
  VkPhysicalDeviceFloatControlsProperties controls;
  uint32_t queue_family; // a compute queue family, UINT32_MAX if there is none
  uint32_t timeline;     // whether it has timeline semaphores
} tg_description;

void tg_describe(tg_instance *instance, VkPhysicalDevice device, tg_description *out);

VkResult tg_device_create(tg_instance *instance, VkPhysicalDevice physical, uint32_t family, tg_device **out);
void tg_device_destroy(tg_device *device);
VkResult tg_device_wait(tg_device *device);

VkResult tg_buffer_create(tg_device *device, uint64_t bytes, uint32_t usage, VkBuffer *buffer,
    VkMemoryRequirements *needs);
// tg_buffer_bind allocates memory for a buffer; mapped is NULL or receives the address of the memory.
VkResult tg_buffer_bind(tg_device *device, VkBuffer buffer, uint64_t bytes, uint32_t type, VkDeviceMemory *memory,
    void **mapped);
void tg_buffer_destroy(tg_device *device, VkBuffer buffer, VkDeviceMemory memory);

VkResult tg_timeline_create(tg_device *device, VkSemaphore *out);
// tg_timeline_value returns the current value, 0 if the driver cannot tell.
uint64_t tg_timeline_value(tg_device *device, VkSemaphore timeline);
VkResult tg_timeline_wait(tg_device *device, VkSemaphore timeline, uint64_t value);
void tg_timeline_destroy(tg_device *device, VkSemaphore timeline);

VkResult tg_cache_create(tg_device *device, const void *data, size_t bytes, VkPipelineCache *out);
// tg_cache_data writes at most *bytes bytes; with data NULL it only sets *bytes.
VkResult tg_cache_data(tg_device *device, VkPipelineCache cache, void *data, size_t *bytes);
void tg_cache_destroy(tg_device *device, VkPipelineCache cache);

// A compute pipeline with its layout.
typedef struct {
  VkPipeline pipeline;
  VkPipelineLayout layout;
  VkDescriptorSetLayout set;
  uint32_t buffers; // bindings 0 to buffers-1 of set 0
  uint32_t words;   // 32-bit push constants
} tg_pipeline;

// tg_pipeline_create creates a pipeline from SPIR-V code. The specialisation constants are 0 size, 1 division, 2 root,
// 3 seed_error.
VkResult tg_pipeline_create(tg_device *device, VkPipelineCache cache, const void *code, size_t bytes, uint32_t buffers,
    uint32_t words, uint32_t size, uint32_t division, uint32_t root, int32_t seed_error,
    tg_pipeline *out);
void tg_pipeline_destroy(tg_device *device, tg_pipeline *pipeline);

VkResult tg_commands_create(tg_device *device, uint32_t family, VkCommandPool *pool, VkCommandBuffer *commands);
// tg_commands_add makes another command buffer in a pool, with which it is destroyed.
VkResult tg_commands_add(tg_device *device, VkCommandPool pool, VkCommandBuffer *commands);
VkResult tg_commands_begin(tg_device *device, VkCommandBuffer commands, uint32_t usage);
VkResult tg_commands_end(tg_device *device, VkCommandBuffer commands);
VkResult tg_commands_reset(tg_device *device, VkCommandPool pool);
void tg_commands_destroy(tg_device *device, VkCommandPool pool);

VkResult tg_descriptors_create(tg_device *device, uint32_t sets, uint32_t descriptors, VkDescriptorPool *out);
VkResult tg_descriptors_reset(tg_device *device, VkDescriptorPool pool);
void tg_descriptors_destroy(tg_device *device, VkDescriptorPool pool);

// tg_dispatch records a dispatch. If indirect is not 0, the workgroup counts are read from it at offset.
VkResult tg_dispatch(tg_device *device, VkCommandBuffer commands, const tg_pipeline *pipeline, VkDescriptorPool pool,
    const VkDescriptorBufferInfo *bindings, const uint32_t *words, uint32_t x, uint32_t y, VkBuffer indirect,
    uint64_t offset);
void tg_copy(tg_device *device, VkCommandBuffer commands, VkBuffer from, uint64_t from_offset, VkBuffer to,
    uint64_t to_offset, uint64_t bytes);
void tg_fill(tg_device *device, VkCommandBuffer commands, VkBuffer to, uint64_t offset, uint64_t bytes,
    uint32_t pattern);
void tg_barrier(tg_device *device, VkCommandBuffer commands, uint32_t from_stages, uint32_t to_stages,
    uint32_t from_access, uint32_t to_access);

// tg_submit submits commands that wait for the timeline value wait, if it is not 0, and then signal the value signal.
VkResult tg_submit(tg_device *device, VkCommandBuffer commands, VkSemaphore timeline, uint64_t wait, uint64_t signal);

// tg_message removes and returns the oldest message of the validation layer, which the caller frees; NULL if there is
// none.
char *tg_message(void);

#endif
