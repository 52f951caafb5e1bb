#!/bin/sh
# Compiles the shaders of this package with glslang (Debian: glslang-tools).
set -e
for source in shaders/*.comp testdata/*.comp; do
	glslangValidator -V --target-env vulkan1.2 -o "${source%.comp}.spv" "$source"
done
