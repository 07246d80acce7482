# Textual as new as fluxtui needs it, until Spack's own package is.

from spack_repo.builtin.packages.py_textual.package import PyTextual as BuiltinPyTextual

from spack.package import *


class PyTextual(BuiltinPyTextual):
    """Textual is a Rapid Application Development framework for Python."""

    version("8.2.8", sha256="3f106a9fbc73e39dd266c9712432087de78a6d644084c7c241d6a25c3169115b")

    with when("@8.2:"):
        depends_on("python@3.9:", type=("build", "run"))
        depends_on("py-rich@14.2:", type=("build", "run"))
        depends_on("py-platformdirs@3.6:4", type=("build", "run"))
