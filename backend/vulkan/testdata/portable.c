// A Vulkan loader with one device that is not conformant, as MoltenVK's are. It lists the device only to those who ask
// for such devices, and opens it only for those who say that they know. What it is asked for goes to the file that
// TRACKGEN_TEST_LOG names. It computes nothing: no device is ever opened.
#include "declarations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*function)(void);

static int shown;

static void report(const char *what, uint32_t flags, uint32_t count, const char *const *extensions) {
  FILE *file = fopen(getenv("TRACKGEN_TEST_LOG"), "a");
  fprintf(file, "%s flags %u", what, flags);
  for (uint32_t i = 0; i < count; i++) fprintf(file, " %s", extensions[i]);
  fprintf(file, "\n");
  fclose(file);
}

static VkResult list_one(const char *name, uint32_t *count, VkExtensionProperties *out) {
  if (out && *count > 0) {
    memset(out, 0, sizeof *out);
    strcpy(out->extensionName, name);
  }
  *count = 1;
  return 0;
}

static VkResult instance_extensions(const char *layer, uint32_t *count, VkExtensionProperties *out) {
  if (getenv("TRACKGEN_TEST_OLD_LOADER")) {
    *count = 0;
    return 0;
  }
  return list_one("VK_KHR_portability_enumeration", count, out);
}

static VkResult device_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
    VkExtensionProperties *out) {
  return list_one("VK_KHR_portability_subset", count, out);
}

static VkResult create_instance(const VkInstanceCreateInfo *info, const void *allocator, VkInstance *out) {
  report("instance", info->flags, info->enabledExtensionCount, info->ppEnabledExtensionNames);
  shown = info->flags == 1 && info->enabledExtensionCount == 1;
  *out = (VkInstance)&shown;
  return 0;
}

static void destroy_instance(VkInstance instance, const void *allocator) {}

static VkResult devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *out) {
  if (out && shown && *count > 0) *out = (VkPhysicalDevice)&shown;
  *count = shown;
  return 0;
}

static void properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *out) {
  memset(out, 0, sizeof *out);
  out->apiVersion = 1u << 22 | 2u << 12;
  out->deviceType = 1; // integrated
  strcpy(out->deviceName, "portable device");
  out->limits.maxComputeSharedMemorySize = 32768;
  out->limits.minStorageBufferOffsetAlignment = 16;
}

// The float controls are the digits of TRACKGEN_TEST_CONTROLS, in the order of the structure.
static void properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *out) {
  properties(device, &out->properties);
  const char *digits = getenv("TRACKGEN_TEST_CONTROLS");
  for (VkPhysicalDeviceProperties2 *next = out->pNext; digits && next; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES) continue;
    int32_t *fields = &((VkPhysicalDeviceFloatControlsProperties *)next)->denormBehaviorIndependence;
    for (int i = 0; digits[i]; i++) fields[i] = digits[i] - '0';
  }
}

static void features2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *out) {
  ((VkPhysicalDeviceTimelineSemaphoreFeatures *)out->pNext)->timelineSemaphore = 1;
}

static void memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *out) {
  memset(out, 0, sizeof *out);
  out->memoryTypeCount = out->memoryHeapCount = 1;
  out->memoryTypes[0].propertyFlags = 15;
  out->memoryHeaps[0].size = 1 << 30;
  out->memoryHeaps[0].flags = 1;
}

static void families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *out) {
  if (out && *count > 0) {
    memset(out, 0, sizeof *out);
    out->queueFlags = 7;
    out->queueCount = 1;
  }
  *count = 1;
}

static VkResult create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const void *allocator,
    VkDevice *out) {
  report("device", info->flags, info->enabledExtensionCount, info->ppEnabledExtensionNames);
  return -3;
}

static function device_function(VkDevice device, const char *name) { return NULL; }

EXPORT function vkGetInstanceProcAddr(VkInstance instance, const char *name) {
  static const struct {
    const char *name;
    function call;
  } table[] = {
      {"vkEnumerateInstanceExtensionProperties", (function)instance_extensions},
      {"vkCreateInstance", (function)create_instance},
      {"vkDestroyInstance", (function)destroy_instance},
      {"vkEnumeratePhysicalDevices", (function)devices},
      {"vkEnumerateDeviceExtensionProperties", (function)device_extensions},
      {"vkGetPhysicalDeviceProperties", (function)properties},
      {"vkGetPhysicalDeviceProperties2", (function)properties2},
      {"vkGetPhysicalDeviceFeatures2", (function)features2},
      {"vkGetPhysicalDeviceMemoryProperties", (function)memory},
      {"vkGetPhysicalDeviceQueueFamilyProperties", (function)families},
      {"vkCreateDevice", (function)create_device},
      {"vkGetDeviceProcAddr", (function)device_function},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (!strcmp(table[i].name, name)) return table[i].call;
  }
  return NULL;
}
