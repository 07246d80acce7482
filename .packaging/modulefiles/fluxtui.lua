-- fluxtui for Lmod: copy it to MODULEPATH/fluxtui/VERSION.lua. The folder that it names is made by
--   root=/sw/fluxtui/VERSION
--   python3 -m venv $root/venv && $root/venv/bin/pip install fluxtui-VERSION-py3-none-any.whl
--   mkdir $root/bin && ln -s ../venv/bin/fluxtui ../venv/bin/flux-tui $root/bin/
-- so that the commands alone are on the search path, not the Python of the folder.
local root = pathJoin("/sw/fluxtui", myModuleVersion())
local share = pathJoin(root, "venv/share")

whatis("Name: fluxtui")
whatis("Description: a workbench for people who request resources on a Flux cluster")
help([[fluxtui opens the workbench; 'flux tui' opens it on the Flux that runs here.
'fluxtui docs' has the documentation, 'man fluxtui' the options.]])

prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("FLUX_EXEC_PATH_PREPEND", pathJoin(root, "bin")) -- for flux-core before 0.86
prepend_path("FLUX_CMDHELP_PATTERN", pathJoin(share, "flux/help.d/*.json"))
prepend_path("MANPATH", pathJoin(share, "man"))
