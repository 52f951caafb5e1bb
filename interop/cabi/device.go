package main

// #include "library.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all" // every backend can be opened by name
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/interop"
)

// Types of devices as DLPack has them.
const (
	dlCPU    = 1
	dlCUDA   = 2
	dlVulkan = 7
)

const aDevice = "a device (tg_open)"

// device is an open device.
type device struct {
	lifetime
	backend.Device
	plain  *launch // of calls without a context
	closed atomic.Bool
	dlType int
	dlID   int
}

func (d *device) what() string { return "a device" }

// openDevice opens a device and gives it a handle.
func openDevice(name string, options deviceOptions) (C.tg_handle, error) {
	opened, err := backend.Open(name, options.list()...)
	if err != nil {
		return 0, err
	}
	if options.Instrumented {
		opened = exectest.Instrument(opened)
	}
	d := &device{Device: opened}
	d.lifetime = newLifetime(d.release)
	d.plain = &launch{device: d, ctx: context.Background()}
	d.dlType, d.dlID = dlPackOf(opened.Info())
	return objects.add(d), nil
}

// dlPackOf returns the type and the number of a device as DLPack has them.
func dlPackOf(info backend.Info) (deviceType, id int) {
	deviceType = map[string]int{"cpu": dlCPU, "cuda": dlCUDA, "vulkan": dlVulkan}[info.Backend]
	if _, number, found := strings.Cut(info.Name, ":"); found {
		if _, err := fmt.Sscan(number, &id); err != nil {
			return deviceType, 0
		}
	}
	return deviceType, id
}

// release closes the device, when no call uses it any more.
func (d *device) release() error {
	return errors.Join(interop.Release(d.Device), d.Device.Close())
}

// enter adds a use of the device by a call, which drops it. It returns an error for a device that was closed.
func (d *device) enter() error {
	if d.closed.Load() || !d.tryUse() {
		return closedError(fmt.Sprintf("device %s was closed", d.Info().Name))
	}
	return nil
}

// dependent is an object that works on a device and must be closed before it.
type dependent interface {
	object
	on() *device
}

// objectsOn lists the open objects that work on a device, in the order in which they were made, such as
// "tracks (handle 3)".
func objectsOn(d *device) []string {
	objects.mutex.RLock()
	defer objects.mutex.RUnlock()
	var handles []C.tg_handle
	for handle, o := range objects.open {
		if child, ok := o.(dependent); ok && child.on() == d {
			handles = append(handles, handle)
		}
	}
	slices.Sort(handles)
	list := make([]string, len(handles))
	for i, handle := range handles {
		list[i] = fmt.Sprintf("%s (handle %d)", objects.open[handle].what(), handle)
	}
	return list
}

// leftOpenError lists what was open when its device was closed.
type leftOpenError struct {
	device string
	open   []string
}

// Error lists the objects.
func (e *leftOpenError) Error() string {
	return fmt.Sprintf("close device %s: objects of it are still open, and can only be closed now: %s", e.device,
		strings.Join(e.open, ", "))
}

// Is matches backend.ErrLeak.
func (e *leftOpenError) Is(target error) bool { return target == backend.ErrLeak }

// closeDevice takes a device that has no handle any more out of use.
func closeDevice(d *device) error {
	d.closed.Store(true)
	open := objectsOn(d)
	err := d.drop()
	if len(open) == 0 {
		return err
	}
	if leak := (*backend.LeakError)(nil); errors.As(err, &leak) {
		return fmt.Errorf("%w; the device released %d resources", &leftOpenError{device: d.Info().Name, open: open},
			len(leak.Leaks))
	}
	return errors.Join(&leftOpenError{device: d.Info().Name, open: open}, err)
}

// deviceOptions are the options of tg_open_with.
type deviceOptions struct {
	Workers      int   `json:"workers"`
	MemoryLimit  int64 `json:"memory_limit"`
	Debug        bool  `json:"debug"`
	Instrumented bool  `json:"instrumented"`
}

// list returns the options for backend.Open.
func (o deviceOptions) list() []backend.Option {
	return []backend.Option{backend.Workers(o.Workers), backend.MemoryLimit(o.MemoryLimit), backend.Debug(o.Debug),
		backend.Warnings(warnings.add)}
}

// open opens a device for a caller.
func open(name C.tgi_text, options deviceOptions, out *C.tg_handle) error {
	const op = "open device"
	if out == nil {
		return missingPointer(op, "device")
	}
	text, err := textOf(op, "name", name)
	if err != nil {
		return err
	}
	handle, err := openDevice(text, options)
	if err != nil {
		return err
	}
	*out = handle
	return nil
}

//export tgo_open
func tgo_open(name C.tgi_text, out *C.tg_handle) C.int32_t {
	return call(func() error { return open(name, deviceOptions{}, out) })
}

//export tgo_open_with
func tgo_open_with(name, options C.tgi_text, out *C.tg_handle) C.int32_t {
	return call(func() error {
		var chosen deviceOptions
		if err := readOptions("open device", options, &chosen); err != nil {
			return err
		}
		return open(name, chosen, out)
	})
}

//export tgo_close
func tgo_close(handle C.tg_handle) C.int32_t {
	return call(func() error {
		if handle == 0 {
			return nil
		}
		o, err := objects.remove(handle, ready)
		if err != nil {
			return err
		}
		switch o := o.(type) {
		case *device:
			return closeDevice(o)
		case producer:
			defer o.base().busy.Unlock()
		}
		return o.life().drop()
	})
}

// ready returns an error for an object that another thread is using, and else keeps that from beginning.
func ready(o object) error {
	if p, ok := o.(producer); ok && !p.base().busy.TryLock() {
		return fmt.Errorf("close: %s is in use: %w", p.what(), exec.ErrConcurrentUse)
	}
	return nil
}

//export tgo_devices
func tgo_devices(json **C.char) C.int32_t {
	return call(func() error {
		if json == nil {
			return missingPointer("list devices", "json")
		}
		list := []listedBackend{}
		for _, b := range backend.Devices() {
			entry := listedBackend{Backend: b.Name, Devices: []deviceInfo{}}
			if b.Err != nil {
				entry.Unavailable = b.Err.Error()
			}
			for _, info := range b.Devices {
				entry.Devices = append(entry.Devices, infoOf(info))
			}
			list = append(list, entry)
		}
		return setJSON(json, list)
	})
}

// listedBackend is an entry of tg_devices.
type listedBackend struct {
	Backend     string       `json:"backend"`
	Devices     []deviceInfo `json:"devices"`
	Unavailable string       `json:"unavailable"`
}

// deviceInfo is the JSON form of backend.Info.
type deviceInfo struct {
	Name        string `json:"name"`
	Backend     string `json:"backend"`
	Description string `json:"description"`
	Driver      string `json:"driver"`
	Workers     int    `json:"workers"`
	MemoryBytes int64  `json:"memory_bytes"`
	Software    bool   `json:"software"`
	DLType      int    `json:"dl_device_type"`
	DLID        int    `json:"dl_device_id"`
}

// infoOf returns the JSON form of info.
func infoOf(info backend.Info) deviceInfo {
	deviceType, id := dlPackOf(info)
	return deviceInfo{Name: info.Name, Backend: info.Backend, Description: info.Description, Driver: info.Driver,
		Workers: info.Workers, MemoryBytes: info.MemoryBytes, Software: info.Software, DLType: deviceType, DLID: id}
}

// describedDevice is what tg_device_info returns.
type describedDevice struct {
	deviceInfo
	Instrumented bool         `json:"instrumented"`
	Capabilities capabilities `json:"capabilities"`
}

// capabilities are the parts of backend.Caps that callers can see.
type capabilities struct {
	Capture             bool  `json:"capture"`
	CaptureConditionals bool  `json:"capture_conditionals"`
	WhileNodes          bool  `json:"while_nodes"`
	ForeignStreams      bool  `json:"foreign_streams"`
	ExactFloat          bool  `json:"exact_float"`
	Denormals           bool  `json:"denormals"`
	MaxBufferBytes      int64 `json:"max_buffer_bytes"`
}

//export tgo_device_info
func tgo_device_info(handle C.tg_handle, json **C.char) C.int32_t {
	return call(func() error {
		if json == nil {
			return missingPointer("describe device", "json")
		}
		d, err := acquire[*device](handle, "device", aDevice)
		if err != nil {
			return err
		}
		defer drop(d)
		caps := d.Caps()
		_, instrumented := d.Device.(*exectest.Device)
		return setJSON(json, describedDevice{deviceInfo: infoOf(d.Info()), Instrumented: instrumented,
			Capabilities: capabilities{
				Capture: caps.Capture, CaptureConditionals: caps.CaptureConditionals, WhileNodes: caps.WhileNodes,
				ForeignStreams: caps.ForeignStreams, ExactFloat: caps.ExactFloat, Denormals: caps.Denormals,
				MaxBufferBytes: caps.MaxBufferBytes,
			}})
	})
}
