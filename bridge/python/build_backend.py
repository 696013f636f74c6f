# SPDX-License-Identifier: Apache-2.0
"""The build, by the setuptools that Python has, so that `pip install .` needs no network.

pip builds in an environment of its own, in which what the system has installed is not seen; it would fetch setuptools,
wheel and cffi. Here the folders of the system's packages come behind that environment's, and only what is in neither
is asked for.
"""
import importlib.util
import site
import sys

NEEDED = {"setuptools": "setuptools>=61", "wheel": "wheel", "cffi": "cffi>=1.15"}

sys.path += [path for path in site.getsitepackages([sys.prefix, sys.base_prefix]) if path not in sys.path]


def get_requires_for_build_wheel(config_settings=None):
    return [requirement for module, requirement in NEEDED.items() if importlib.util.find_spec(module) is None]


def get_requires_for_build_sdist(config_settings=None):
    return get_requires_for_build_wheel(config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    from setuptools import build_meta
    return build_meta.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    from setuptools import build_meta
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    from setuptools import build_meta
    return build_meta.build_sdist(sdist_directory, config_settings)
