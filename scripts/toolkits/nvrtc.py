#!/usr/bin/env python3
"""Compiles a .cu file's device code with the NVRTC of a toolkit: machine code of one architecture.

nvrtc.py LIBNVRTC ARCHITECTURE SOURCE OUTPUT OPTION...      status 1 and the compiler's words where it fails
nvrtc.py LIBNVRTC                                           prints the architectures that it knows
"""
import ctypes
import os
import sys

HEADERS = "array cmath compare cstddef cstdint cstring initializer_list optional span string string_view tuple type_traits vector"


def text_of(nvrtc, program, size_of, get):
    size = ctypes.c_size_t()
    getattr(nvrtc, size_of)(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, get)(program, text)
    return text.raw


def strings(values):
    return (ctypes.c_char_p * len(values))(*[value.encode() for value in values])


def architectures(nvrtc):
    count = ctypes.c_int()
    nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count))
    known = (ctypes.c_int * count.value)()
    nvrtc.nvrtcGetSupportedArchs(known)
    return list(known)


def compiled(nvrtc, architecture, source, output, options):
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "standard.hpp")) as file:
        standard = file.read()
    with open(source) as file:
        text = file.read()
    names = HEADERS.split()
    program = ctypes.c_void_p()
    status = nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), source.encode(), len(names),
                                      strings([standard] * len(names)), strings(names))
    if status != 0:
        print(f"nvrtcCreateProgram failed with status {status}")
        return False
    options = ["-std=c++20", "-default-device", "-arch=sm_" + architecture, "--ptxas-options=-v"] + options
    failed = nvrtc.nvrtcCompileProgram(program, len(options), strings(options)) != 0
    log = text_of(nvrtc, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").rstrip(b"\0").decode()
    with open(output + ".log", "w") as file:
        file.write(log)
    if failed or "error" in log:
        print(log)
        return False
    with open(output, "wb") as file:
        file.write(text_of(nvrtc, program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN"))
    return True


def main():
    nvrtc = ctypes.CDLL(sys.argv[1])
    if len(sys.argv) == 2:
        print(*architectures(nvrtc))
        return 0
    return 0 if compiled(nvrtc, *sys.argv[2:5], sys.argv[5:]) else 1


sys.exit(main())
