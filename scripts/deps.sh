#!/usr/bin/env bash
# Installs the Debian packages that the tests use, if it runs as root and apt-get exists. Otherwise it lists the missing
# packages; each test that needs one of them is then skipped with a message.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
	mesa-vulkan-drivers libvulkan1 vulkan-validationlayers # a Vulkan driver for any machine, and validation
	glslang-tools spirv-tools clang-19 g++                 # compile the kernels again, to compare them
	qemu-user-static                                       # runs the build for arm64
	man-db mandoc                                          # read the manual pages
	python3-torch python3-venv                             # tests of the Python package
	chromium                                               # tests of the explorer's page
)
# NumPy reads back the .npz files that the tests write. Debian's package works with Debian's own interpreter only.
if ! python3 -c 'import numpy' 2>/dev/null && ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
	packages+=(python3-numpy)
fi
missing=()
for package in "${packages[@]}"; do
	if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
		missing+=("$package")
	fi
done
# The assembler of NVIDIA's toolkit checks the generated PTX. Nothing else of the toolkit is used, and no build needs
# it.
ptxas() {
	local folder=.cache/ptxas version=13.5.37
	if [[ -x $folder/nvidia/cu13/bin/ptxas ]]; then
		return
	fi
	scripts/python-packages.sh "$folder" "nvidia-cuda-nvcc==$version"
}
# These packages read back the files that the tests write. They are for the interpreter that has NumPy. The releases work
# with NumPy 1 and 2.
readers() {
	local folder=.cache/readers interpreter=python3 version packages=(
		pyarrow==19.0.1 # Apache Arrow, the reference implementation of Parquet
		shapely==2.0.7  # the rules of valid polygons, for GeoJSON
		trimesh==4.5.3  # meshes, as OBJ and glTF
		PyYAML==6.0.2   # maps and level files
		pillow==11.1.0  # pictures of maps
		commonroad-vehicle-models==3.0.2 # equations of cars, for a slow test
	)
	python3 -c 'import numpy' 2>/dev/null || interpreter=/usr/bin/python3
	if PYTHONPATH=$folder "$interpreter" -c "import pyarrow.parquet, shapely, trimesh, yaml, PIL.Image, vehiclemodels" 2>/dev/null; then
		return
	fi
	version=$("$interpreter" -c 'import platform; print(platform.python_version())')
	scripts/python-packages.sh "$folder" --only-binary :all: --python-version "$version" "${packages[@]}"
}
# SwiftShader, a second software driver for Vulkan that shares no code with Mesa's. Debian has it only as a part of its
# browser. The two files need nothing but the C library, so the browser and its hundred packages are not installed.
swiftshader() {
	local folder=.cache/swiftshader scratch=.cache/swiftshader.new
	if [[ -s $folder/libvk_swiftshader.so && -s $folder/vk_swiftshader_icd.json ]]; then
		return
	fi
	rm -rf "$folder" "$scratch"
	mkdir -p "$scratch"
	# apt-get checks the signature of what it downloads. The lists of packages are read again only if they are missing
	# or too old.
	local download=(apt-get download -q -o APT::Sandbox::User=root chromium-common)
	(cd "$scratch" && { "${download[@]}" || { apt-get update -q && "${download[@]}"; }; })
	dpkg-deb --fsys-tarfile "$scratch"/chromium-common_*.deb | tar -x -C "$scratch" --strip-components=4 \
		./usr/lib/chromium/libvk_swiftshader.so ./usr/lib/chromium/vk_swiftshader_icd.json
	rm "$scratch"/chromium-common_*.deb
	mv "$scratch" "$folder"
}
if ((${#missing[@]} == 0)); then
	if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
		ptxas
		readers
		swiftshader
	fi
	exit 0
fi
if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
	echo "NOT INSTALLED (needs root and apt-get): ${missing[*]}; tests that need them are skipped"
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends "${missing[@]}"
ptxas
readers
swiftshader
