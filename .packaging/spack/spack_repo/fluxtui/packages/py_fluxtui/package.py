# spack repo add .packaging/spack/spack_repo/fluxtui && spack install py-fluxtui

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PyFluxtui(PythonPackage):
    """A terminal workbench for people who request resources on a Flux cluster."""

    homepage = "https://flux-framework.org"
    pypi = "fluxtui/fluxtui-0.1.0.tar.gz"

    license("MIT")

    # Of a release that is not out yet there is no checksum: spack checksum py-fluxtui
    version("0.1.0", sha256="0" * 64)

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-hatchling@1.27:1", type="build")
    depends_on("py-textual@8.2:8", type=("build", "run"))
    depends_on("py-pyyaml@6.0.2:6", type=("build", "run"))
    depends_on("py-platformdirs@4.2:4", type=("build", "run"))
    depends_on("py-pyperclip@1.8:1", type=("build", "run"))
