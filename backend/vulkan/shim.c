//go:build linux || darwin

#include "shim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(void *) == 8, "handles of Vulkan are 64-bit numbers here");
_Static_assert(sizeof(VkPhysicalDeviceProperties) == 824, "VkPhysicalDeviceProperties");
_Static_assert(sizeof(VkPhysicalDeviceMemoryProperties) == 520, "VkPhysicalDeviceMemoryProperties");
_Static_assert(sizeof(VkPhysicalDeviceDriverProperties) == 536, "VkPhysicalDeviceDriverProperties");
_Static_assert(sizeof(VkPhysicalDeviceFloatControlsProperties) == 88, "VkPhysicalDeviceFloatControlsProperties");
_Static_assert(sizeof(VkPhysicalDeviceTimelineSemaphoreFeatures) == 24, "VkPhysicalDeviceTimelineSemaphoreFeatures");
_Static_assert(sizeof(VkSemaphoreTypeCreateInfo) == 32, "VkSemaphoreTypeCreateInfo");
_Static_assert(sizeof(VkSemaphoreWaitInfo) == 40, "VkSemaphoreWaitInfo");
_Static_assert(sizeof(VkTimelineSemaphoreSubmitInfo) == 48, "VkTimelineSemaphoreSubmitInfo");
_Static_assert(sizeof(VkSubmitInfo) == 72, "VkSubmitInfo");
_Static_assert(sizeof(VkValidationFeaturesEXT) == 48, "VkValidationFeaturesEXT");

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"
#define PORTABILITY_ENUMERATION "VK_KHR_portability_enumeration"
#define PORTABILITY_SUBSET "VK_KHR_portability_subset"
#define VULKAN_1_2 (1u << 22 | 2u << 12)

typedef void (*function)(void);
typedef function (*get_instance_function)(VkInstance, const char *);
typedef function (*get_device_function)(VkDevice, const char *);

static get_instance_function get_instance;

// The libraries that may be the loader, in the order in which they are tried. On macOS the loader comes from Vulkan's
// SDK or from Homebrew, whose directories are not searched by themselves; MoltenVK, the driver, does without a loader.
static const char *const libraries[] = {
#ifdef __APPLE__
    "libvulkan.dylib", "libvulkan.1.dylib", "libMoltenVK.dylib",
    "/opt/homebrew/lib/libvulkan.1.dylib", "/opt/homebrew/lib/libMoltenVK.dylib",
    "/usr/local/lib/libvulkan.1.dylib", "/usr/local/lib/libMoltenVK.dylib",
#else
    "libvulkan.so.1",
#endif
};

char *tg_load(void) {
  char reasons[4096] = "";
  size_t used = 0;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    const char *reason = library ? "it has no vkGetInstanceProcAddr" : dlerror();
    if (library) get_instance = (get_instance_function)dlsym(library, "vkGetInstanceProcAddr");
    if (get_instance) return NULL;
    int written = snprintf(reasons + used, sizeof reasons - used, "%s%s: %s", used ? "; " : "", libraries[i], reason);
    if (written > 0) used = used + written < sizeof reasons ? used + written : sizeof reasons - 1;
  }
  return strdup(reasons);
}

// The functions of an instance: result, name, parameters.
#define INSTANCE_FUNCTIONS(F) \
  F(VkResult, vkEnumeratePhysicalDevices, (VkInstance, uint32_t *, VkPhysicalDevice *)) \
  F(void, vkGetPhysicalDeviceProperties, (VkPhysicalDevice, VkPhysicalDeviceProperties *)) \
  F(void, vkGetPhysicalDeviceProperties2, (VkPhysicalDevice, VkPhysicalDeviceProperties2 *)) \
  F(void, vkGetPhysicalDeviceFeatures2, (VkPhysicalDevice, VkPhysicalDeviceFeatures2 *)) \
  F(void, vkGetPhysicalDeviceMemoryProperties, (VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *)) \
  F(void, vkGetPhysicalDeviceQueueFamilyProperties, (VkPhysicalDevice, uint32_t *, VkQueueFamilyProperties *)) \
  F(VkResult, vkEnumerateDeviceExtensionProperties, \
      (VkPhysicalDevice, const char *, uint32_t *, VkExtensionProperties *)) \
  F(VkResult, vkCreateDevice, (VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *)) \
  F(function, vkGetDeviceProcAddr, (VkDevice, const char *)) \
  F(void, vkDestroyInstance, (VkInstance, const void *))

// The functions of a device.
#define DEVICE_FUNCTIONS(F) \
  F(void, vkDestroyDevice, (VkDevice, const void *)) \
  F(void, vkGetDeviceQueue, (VkDevice, uint32_t, uint32_t, VkQueue *)) \
  F(VkResult, vkDeviceWaitIdle, (VkDevice)) \
  F(VkResult, vkQueueSubmit, (VkQueue, uint32_t, const VkSubmitInfo *, VkFence)) \
  F(VkResult, vkCreateBuffer, (VkDevice, const VkBufferCreateInfo *, const void *, VkBuffer *)) \
  F(void, vkDestroyBuffer, (VkDevice, VkBuffer, const void *)) \
  F(void, vkGetBufferMemoryRequirements, (VkDevice, VkBuffer, VkMemoryRequirements *)) \
  F(VkResult, vkAllocateMemory, (VkDevice, const VkMemoryAllocateInfo *, const void *, VkDeviceMemory *)) \
  F(void, vkFreeMemory, (VkDevice, VkDeviceMemory, const void *)) \
  F(VkResult, vkBindBufferMemory, (VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize)) \
  F(VkResult, vkMapMemory, (VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkFlags, void **)) \
  F(VkResult, vkCreateSemaphore, (VkDevice, const VkSemaphoreCreateInfo *, const void *, VkSemaphore *)) \
  F(void, vkDestroySemaphore, (VkDevice, VkSemaphore, const void *)) \
  F(VkResult, vkGetSemaphoreCounterValue, (VkDevice, VkSemaphore, uint64_t *)) \
  F(VkResult, vkWaitSemaphores, (VkDevice, const VkSemaphoreWaitInfo *, uint64_t)) \
  F(VkResult, vkCreatePipelineCache, (VkDevice, const VkPipelineCacheCreateInfo *, const void *, VkPipelineCache *)) \
  F(VkResult, vkGetPipelineCacheData, (VkDevice, VkPipelineCache, size_t *, void *)) \
  F(void, vkDestroyPipelineCache, (VkDevice, VkPipelineCache, const void *)) \
  F(VkResult, vkCreateShaderModule, (VkDevice, const VkShaderModuleCreateInfo *, const void *, VkShaderModule *)) \
  F(void, vkDestroyShaderModule, (VkDevice, VkShaderModule, const void *)) \
  F(VkResult, vkCreateDescriptorSetLayout, (VkDevice, const VkDescriptorSetLayoutCreateInfo *, const void *, \
      VkDescriptorSetLayout *)) \
  F(void, vkDestroyDescriptorSetLayout, (VkDevice, VkDescriptorSetLayout, const void *)) \
  F(VkResult, vkCreatePipelineLayout, (VkDevice, const VkPipelineLayoutCreateInfo *, const void *, \
      VkPipelineLayout *)) \
  F(void, vkDestroyPipelineLayout, (VkDevice, VkPipelineLayout, const void *)) \
  F(VkResult, vkCreateComputePipelines, (VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo *, \
      const void *, VkPipeline *)) \
  F(void, vkDestroyPipeline, (VkDevice, VkPipeline, const void *)) \
  F(VkResult, vkCreateCommandPool, (VkDevice, const VkCommandPoolCreateInfo *, const void *, VkCommandPool *)) \
  F(VkResult, vkResetCommandPool, (VkDevice, VkCommandPool, VkFlags)) \
  F(void, vkDestroyCommandPool, (VkDevice, VkCommandPool, const void *)) \
  F(VkResult, vkAllocateCommandBuffers, (VkDevice, const VkCommandBufferAllocateInfo *, VkCommandBuffer *)) \
  F(VkResult, vkBeginCommandBuffer, (VkCommandBuffer, const VkCommandBufferBeginInfo *)) \
  F(VkResult, vkEndCommandBuffer, (VkCommandBuffer)) \
  F(VkResult, vkCreateDescriptorPool, (VkDevice, const VkDescriptorPoolCreateInfo *, const void *, \
      VkDescriptorPool *)) \
  F(VkResult, vkResetDescriptorPool, (VkDevice, VkDescriptorPool, VkFlags)) \
  F(void, vkDestroyDescriptorPool, (VkDevice, VkDescriptorPool, const void *)) \
  F(VkResult, vkAllocateDescriptorSets, (VkDevice, const VkDescriptorSetAllocateInfo *, VkDescriptorSet *)) \
  F(void, vkUpdateDescriptorSets, (VkDevice, uint32_t, const VkWriteDescriptorSet *, uint32_t, const void *)) \
  F(void, vkCmdBindPipeline, (VkCommandBuffer, int32_t, VkPipeline)) \
  F(void, vkCmdBindDescriptorSets, (VkCommandBuffer, int32_t, VkPipelineLayout, uint32_t, uint32_t, \
      const VkDescriptorSet *, uint32_t, const uint32_t *)) \
  F(void, vkCmdPushConstants, (VkCommandBuffer, VkPipelineLayout, VkFlags, uint32_t, uint32_t, const void *)) \
  F(void, vkCmdDispatch, (VkCommandBuffer, uint32_t, uint32_t, uint32_t)) \
  F(void, vkCmdDispatchIndirect, (VkCommandBuffer, VkBuffer, VkDeviceSize)) \
  F(void, vkCmdCopyBuffer, (VkCommandBuffer, VkBuffer, VkBuffer, uint32_t, const VkBufferCopy *)) \
  F(void, vkCmdFillBuffer, (VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, uint32_t)) \
  F(void, vkCmdPipelineBarrier, (VkCommandBuffer, VkFlags, VkFlags, VkFlags, uint32_t, const VkMemoryBarrier *, \
      uint32_t, const void *, uint32_t, const void *))

#define MEMBER(result, name, parameters) result(*name) parameters;
#define LOAD(result, name, parameters) \
  if (!(*(function *)&table->name = get(handle, #name))) return VK_ERROR_INITIALIZATION_FAILED;

enum { VK_ERROR_OUT_OF_HOST_MEMORY = -1, VK_ERROR_INITIALIZATION_FAILED = -3 };

struct tg_instance {
  VkInstance handle;
  INSTANCE_FUNCTIONS(MEMBER)
};

struct tg_device {
  VkDevice handle;
  VkQueue queue;
  DEVICE_FUNCTIONS(MEMBER)
};

// Messages of the validation layer, oldest first.

typedef struct message {
  struct message *next;
  char *text;
} message;

static pthread_mutex_t messages_lock = PTHREAD_MUTEX_INITIALIZER;
static message *first_message, **last_message = &first_message;

static VkBool32 receive(VkFlags severity, VkFlags types, const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  message *added = calloc(1, sizeof *added);
  if (!added) return 0;
  added->text = strdup(data->pMessage ? data->pMessage : "a message without text");
  pthread_mutex_lock(&messages_lock);
  *last_message = added;
  last_message = &added->next;
  pthread_mutex_unlock(&messages_lock);
  return 0;
}

char *tg_message(void) {
  pthread_mutex_lock(&messages_lock);
  message *oldest = first_message;
  if (oldest && !(first_message = oldest->next)) last_message = &first_message;
  pthread_mutex_unlock(&messages_lock);
  if (!oldest) return NULL;
  char *text = oldest->text;
  free(oldest);
  return text;
}

int tg_layer_present(void) {
  typedef VkResult (*enumerate)(uint32_t *, VkLayerProperties *);
  enumerate list = (enumerate)get_instance(NULL, "vkEnumerateInstanceLayerProperties");
  uint32_t count = 0;
  if (!list || list(&count, NULL)) return 0;
  VkLayerProperties *layers = calloc(count + 1, sizeof *layers);
  int present = 0;
  if (layers && list(&count, layers) >= 0) {
    for (uint32_t i = 0; i < count; i++) present |= !strcmp(layers[i].layerName, VALIDATION_LAYER);
  }
  free(layers);
  return present;
}

// has returns whether a name is among extensions.
static int has(const VkExtensionProperties *list, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++) {
    if (!strcmp(list[i].extensionName, name)) return 1;
  }
  return 0;
}

// lists_portable returns whether the loader hides drivers that are not conformant unless it is asked for them.
static int lists_portable(void) {
  typedef VkResult (*enumerate)(const char *, uint32_t *, VkExtensionProperties *);
  enumerate list = (enumerate)get_instance(NULL, "vkEnumerateInstanceExtensionProperties");
  uint32_t count = 0;
  if (!list || list(NULL, &count, NULL)) return 0;
  VkExtensionProperties *extensions = calloc(count + 1, sizeof *extensions);
  int found = extensions && list(NULL, &count, extensions) >= 0 && has(extensions, count, PORTABILITY_ENUMERATION);
  free(extensions);
  return found;
}

// is_portable returns whether a device is one of those. It must then be opened with the extension that says so.
static int is_portable(tg_instance *instance, VkPhysicalDevice device) {
  uint32_t count = 0;
  if (instance->vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL)) return 0;
  VkExtensionProperties *extensions = calloc(count + 1, sizeof *extensions);
  int found = extensions &&
      instance->vkEnumerateDeviceExtensionProperties(device, NULL, &count, extensions) >= 0 &&
      has(extensions, count, PORTABILITY_SUBSET);
  free(extensions);
  return found;
}

static VkResult load_instance(tg_instance *table) {
  VkInstance handle = table->handle;
  get_instance_function get = get_instance;
  INSTANCE_FUNCTIONS(LOAD)
  return 0;
}

static VkResult watch(VkInstance instance) {
  typedef VkResult (*create)(VkInstance, const VkDebugUtilsMessengerCreateInfoEXT *, const void *,
      VkDebugUtilsMessengerEXT *);
  create make = (create)get_instance(instance, "vkCreateDebugUtilsMessengerEXT");
  if (!make) return VK_ERROR_INITIALIZATION_FAILED;
  VkDebugUtilsMessengerCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
          VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = receive,
  };
  VkDebugUtilsMessengerEXT messenger; // lives as long as the instance, which is never destroyed
  return make(instance, &info, NULL, &messenger);
}

VkResult tg_instance_create(int validation, tg_instance **out) {
  typedef VkResult (*create)(const VkInstanceCreateInfo *, const void *, VkInstance *);
  create make = (create)get_instance(NULL, "vkCreateInstance");
  if (!make) return VK_ERROR_INITIALIZATION_FAILED;
  tg_instance *instance = calloc(1, sizeof *instance);
  if (!instance) return VK_ERROR_OUT_OF_HOST_MEMORY;
  VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "trackgen", .apiVersion = VULKAN_1_2};
  int32_t enabled = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
      .enabledValidationFeatureCount = 1, .pEnabledValidationFeatures = &enabled};
  const char *layers[] = {VALIDATION_LAYER};
  const char *extensions[3];
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application,
      .ppEnabledExtensionNames = extensions};
  if (lists_portable()) {
    info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    extensions[info.enabledExtensionCount++] = PORTABILITY_ENUMERATION;
  }
  if (validation) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = layers;
    extensions[info.enabledExtensionCount++] = "VK_EXT_debug_utils";
    extensions[info.enabledExtensionCount++] = "VK_EXT_validation_features";
  }
  VkResult result = make(&info, NULL, &instance->handle);
  if (!result) result = load_instance(instance);
  if (!result && validation) result = watch(instance->handle);
  if (result) {
    if (instance->vkDestroyInstance) instance->vkDestroyInstance(instance->handle, NULL);
    free(instance);
    return result;
  }
  *out = instance;
  return 0;
}

VkResult tg_instance_devices(tg_instance *instance, VkPhysicalDevice *devices, uint32_t *count) {
  VkResult result = instance->vkEnumeratePhysicalDevices(instance->handle, count, devices);
  return result < 0 ? result : 0;
}

void tg_describe(tg_instance *instance, VkPhysicalDevice device, tg_description *out) {
  memset(out, 0, sizeof *out);
  out->queue_family = UINT32_MAX;
  instance->vkGetPhysicalDeviceProperties(device, &out->properties);
  instance->vkGetPhysicalDeviceMemoryProperties(device, &out->memory);
  if (out->properties.apiVersion < VULKAN_1_2) return;

  out->controls.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
      .pNext = &out->controls};
  VkPhysicalDeviceIDProperties identity = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, .pNext = &driver};
  VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
      .pNext = &identity};
  instance->vkGetPhysicalDeviceProperties2(device, &properties);
  memcpy(out->device_uuid, identity.deviceUUID, sizeof out->device_uuid);
  memcpy(out->driver_uuid, identity.driverUUID, sizeof out->driver_uuid);
  memcpy(out->driver_name, driver.driverName, sizeof out->driver_name - 1);
  memcpy(out->driver_info, driver.driverInfo, sizeof out->driver_info - 1);

  VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &timeline};
  instance->vkGetPhysicalDeviceFeatures2(device, &features);
  out->timeline = timeline.timelineSemaphore;

  enum { MAX_FAMILIES = 64, COMPUTE = 2 };
  VkQueueFamilyProperties families[MAX_FAMILIES];
  uint32_t count = MAX_FAMILIES;
  instance->vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families);
  for (uint32_t i = count; i-- > 0;) {
    if (families[i].queueFlags & COMPUTE) out->queue_family = i;
  }
}

static VkResult load_device(tg_instance *instance, tg_device *table) {
  VkDevice handle = table->handle;
  get_device_function get = instance->vkGetDeviceProcAddr;
  DEVICE_FUNCTIONS(LOAD)
  return 0;
}

VkResult tg_device_create(tg_instance *instance, VkPhysicalDevice physical, uint32_t family, tg_device **out) {
  tg_device *device = calloc(1, sizeof *device);
  if (!device) return VK_ERROR_OUT_OF_HOST_MEMORY;
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = 1};
  const char *extensions[] = {PORTABILITY_SUBSET};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &timeline,
      .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
      .enabledExtensionCount = is_portable(instance, physical), .ppEnabledExtensionNames = extensions};
  VkResult result = instance->vkCreateDevice(physical, &info, NULL, &device->handle);
  if (!result) result = load_device(instance, device);
  if (result) {
    if (device->vkDestroyDevice) device->vkDestroyDevice(device->handle, NULL);
    free(device);
    return result;
  }
  device->vkGetDeviceQueue(device->handle, family, 0, &device->queue);
  *out = device;
  return 0;
}

void tg_device_destroy(tg_device *device) {
  device->vkDestroyDevice(device->handle, NULL);
  free(device);
}

VkResult tg_device_wait(tg_device *device) { return device->vkDeviceWaitIdle(device->handle); }

VkResult tg_buffer_create(tg_device *device, uint64_t bytes, uint32_t usage, VkBuffer *buffer,
    VkMemoryRequirements *needs) {
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = usage,
      .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
  VkResult result = device->vkCreateBuffer(device->handle, &info, NULL, buffer);
  if (!result) device->vkGetBufferMemoryRequirements(device->handle, *buffer, needs);
  return result;
}

VkResult tg_buffer_bind(tg_device *device, VkBuffer buffer, uint64_t bytes, uint32_t type, VkDeviceMemory *memory,
    void **mapped) {
  VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = bytes,
      .memoryTypeIndex = type};
  VkResult result = device->vkAllocateMemory(device->handle, &info, NULL, memory);
  if (result) return result;
  result = device->vkBindBufferMemory(device->handle, buffer, *memory, 0);
  if (!result && mapped) result = device->vkMapMemory(device->handle, *memory, 0, bytes, 0, mapped);
  if (result) device->vkFreeMemory(device->handle, *memory, NULL);
  return result;
}

void tg_buffer_destroy(tg_device *device, VkBuffer buffer, VkDeviceMemory memory) {
  device->vkDestroyBuffer(device->handle, buffer, NULL);
  device->vkFreeMemory(device->handle, memory, NULL);
}

VkResult tg_timeline_create(tg_device *device, VkSemaphore *out) {
  VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  return device->vkCreateSemaphore(device->handle, &info, NULL, out);
}

uint64_t tg_timeline_value(tg_device *device, VkSemaphore timeline) {
  uint64_t value = 0;
  return device->vkGetSemaphoreCounterValue(device->handle, timeline, &value) ? 0 : value;
}

VkResult tg_timeline_wait(tg_device *device, VkSemaphore timeline, uint64_t value) {
  VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1,
      .pSemaphores = &timeline, .pValues = &value};
  return device->vkWaitSemaphores(device->handle, &info, UINT64_MAX);
}

void tg_timeline_destroy(tg_device *device, VkSemaphore timeline) {
  device->vkDestroySemaphore(device->handle, timeline, NULL);
}

VkResult tg_cache_create(tg_device *device, const void *data, size_t bytes, VkPipelineCache *out) {
  VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = bytes,
      .pInitialData = data};
  return device->vkCreatePipelineCache(device->handle, &info, NULL, out);
}

VkResult tg_cache_data(tg_device *device, VkPipelineCache cache, void *data, size_t *bytes) {
  return device->vkGetPipelineCacheData(device->handle, cache, bytes, data);
}

void tg_cache_destroy(tg_device *device, VkPipelineCache cache) {
  device->vkDestroyPipelineCache(device->handle, cache, NULL);
}

enum { MAX_BUFFERS = 16 };

static VkResult make_layouts(tg_device *device, tg_pipeline *out) {
  VkDescriptorSetLayoutBinding bindings[MAX_BUFFERS];
  if (out->buffers > MAX_BUFFERS) return VK_ERROR_INITIALIZATION_FAILED;
  for (uint32_t i = 0; i < out->buffers; i++) {
    bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  }
  VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = out->buffers, .pBindings = bindings};
  VkResult result = device->vkCreateDescriptorSetLayout(device->handle, &set, NULL, &out->set);
  if (result) return result;
  VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 4 * out->words};
  VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
      .pSetLayouts = &out->set, .pushConstantRangeCount = 1, .pPushConstantRanges = &range};
  return device->vkCreatePipelineLayout(device->handle, &layout, NULL, &out->layout);
}

VkResult tg_pipeline_create(tg_device *device, VkPipelineCache cache, const void *code, size_t bytes, uint32_t buffers,
    uint32_t words, uint32_t size, uint32_t division, uint32_t root, int32_t seed_error,
    tg_pipeline *out) {
  *out = (tg_pipeline){.buffers = buffers, .words = words};
  uint32_t *aligned = malloc(bytes);
  if (!aligned) return VK_ERROR_OUT_OF_HOST_MEMORY;
  memcpy(aligned, code, bytes);
  VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes,
      .pCode = aligned};
  VkShaderModule module = 0;
  VkResult result = device->vkCreateShaderModule(device->handle, &module_info, NULL, &module);
  free(aligned);
  if (result) return result;

  result = make_layouts(device, out);
  if (!result) {
    uint32_t values[] = {size, division, root, (uint32_t)seed_error};
    VkSpecializationMapEntry entries[4];
    for (uint32_t i = 0; i < 4; i++) entries[i] = (VkSpecializationMapEntry){.constantID = i, .offset = 4 * i,
        .size = 4};
    VkSpecializationInfo constants = {.mapEntryCount = 4, .pMapEntries = entries, .dataSize = sizeof values,
        .pData = values};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = out->layout,
        .basePipelineIndex = -1,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module, .pName = "main", .pSpecializationInfo = &constants}};
    result = device->vkCreateComputePipelines(device->handle, cache, 1, &info, NULL, &out->pipeline);
  }
  device->vkDestroyShaderModule(device->handle, module, NULL);
  if (result) tg_pipeline_destroy(device, out);
  return result;
}

void tg_pipeline_destroy(tg_device *device, tg_pipeline *pipeline) {
  device->vkDestroyPipeline(device->handle, pipeline->pipeline, NULL);
  device->vkDestroyPipelineLayout(device->handle, pipeline->layout, NULL);
  device->vkDestroyDescriptorSetLayout(device->handle, pipeline->set, NULL);
}

VkResult tg_commands_add(tg_device *device, VkCommandPool pool, VkCommandBuffer *commands) {
  VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
  return device->vkAllocateCommandBuffers(device->handle, &allocate, commands);
}

VkResult tg_commands_create(tg_device *device, uint32_t family, VkCommandPool *pool, VkCommandBuffer *commands) {
  VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
  VkResult result = device->vkCreateCommandPool(device->handle, &info, NULL, pool);
  if (result) return result;
  result = tg_commands_add(device, *pool, commands);
  if (result) device->vkDestroyCommandPool(device->handle, *pool, NULL);
  return result;
}

VkResult tg_commands_begin(tg_device *device, VkCommandBuffer commands, uint32_t usage) {
  VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = usage};
  return device->vkBeginCommandBuffer(commands, &info);
}

VkResult tg_commands_end(tg_device *device, VkCommandBuffer commands) { return device->vkEndCommandBuffer(commands); }

VkResult tg_commands_reset(tg_device *device, VkCommandPool pool) {
  return device->vkResetCommandPool(device->handle, pool, 0);
}

void tg_commands_destroy(tg_device *device, VkCommandPool pool) {
  device->vkDestroyCommandPool(device->handle, pool, NULL);
}

VkResult tg_descriptors_create(tg_device *device, uint32_t sets, uint32_t descriptors, VkDescriptorPool *out) {
  VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = descriptors};
  VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = sets,
      .poolSizeCount = 1, .pPoolSizes = &size};
  return device->vkCreateDescriptorPool(device->handle, &info, NULL, out);
}

VkResult tg_descriptors_reset(tg_device *device, VkDescriptorPool pool) {
  return device->vkResetDescriptorPool(device->handle, pool, 0);
}

void tg_descriptors_destroy(tg_device *device, VkDescriptorPool pool) {
  device->vkDestroyDescriptorPool(device->handle, pool, NULL);
}

VkResult tg_dispatch(tg_device *device, VkCommandBuffer commands, const tg_pipeline *pipeline, VkDescriptorPool pool,
    const VkDescriptorBufferInfo *bindings, const uint32_t *words, uint32_t x, uint32_t y, VkBuffer indirect,
    uint64_t offset) {
  if (pipeline->buffers > 0) {
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1, .pSetLayouts = &pipeline->set};
    VkDescriptorSet set;
    VkResult result = device->vkAllocateDescriptorSets(device->handle, &allocate, &set);
    if (result) return result;
    VkWriteDescriptorSet writes[MAX_BUFFERS];
    for (uint32_t i = 0; i < pipeline->buffers; i++) {
      writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set,
          .dstBinding = i,
          .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &bindings[i]};
    }
    device->vkUpdateDescriptorSets(device->handle, pipeline->buffers, writes, 0, NULL);
    device->vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->layout, 0, 1, &set, 0, NULL);
  }
  device->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline);
  device->vkCmdPushConstants(commands, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 * pipeline->words, words);
  if (indirect) {
    device->vkCmdDispatchIndirect(commands, indirect, offset);
  } else {
    device->vkCmdDispatch(commands, x, y, 1);
  }
  return 0;
}

void tg_copy(tg_device *device, VkCommandBuffer commands, VkBuffer from, uint64_t from_offset, VkBuffer to,
    uint64_t to_offset, uint64_t bytes) {
  VkBufferCopy region = {.srcOffset = from_offset, .dstOffset = to_offset, .size = bytes};
  device->vkCmdCopyBuffer(commands, from, to, 1, &region);
}

void tg_fill(tg_device *device, VkCommandBuffer commands, VkBuffer to, uint64_t offset, uint64_t bytes,
    uint32_t pattern) {
  device->vkCmdFillBuffer(commands, to, offset, bytes, pattern);
}

void tg_barrier(tg_device *device, VkCommandBuffer commands, uint32_t from_stages, uint32_t to_stages,
    uint32_t from_access, uint32_t to_access) {
  VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = from_access,
      .dstAccessMask = to_access};
  device->vkCmdPipelineBarrier(commands, from_stages, to_stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

VkResult tg_submit(tg_device *device, VkCommandBuffer commands, VkSemaphore timeline, uint64_t wait, uint64_t signal) {
  enum { ALL_COMMANDS = 0x10000 };
  VkFlags stage = ALL_COMMANDS;
  VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = wait > 0, .pWaitSemaphoreValues = &wait, .signalSemaphoreValueCount = 1,
      .pSignalSemaphoreValues = &signal};
  VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &values, .waitSemaphoreCount = wait > 0,
      .pWaitSemaphores = &timeline, .pWaitDstStageMask = &stage, .commandBufferCount = 1, .pCommandBuffers = &commands,
      .signalSemaphoreCount = 1, .pSignalSemaphores = &timeline};
  return device->vkQueueSubmit(device->queue, 1, &info, 0);
}
