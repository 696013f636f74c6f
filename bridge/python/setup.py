# SPDX-License-Identifier: Apache-2.0
"""What pyproject.toml has no word for: the module that build_binding.py makes is built with the package."""
from setuptools import setup

setup(cffi_modules=["build_binding.py:ffi"])
