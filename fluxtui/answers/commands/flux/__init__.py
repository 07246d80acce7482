"""The same job as ``flux submit``, ``run``, ``batch`` and ``alloc`` (flux-core 0.88)."""
