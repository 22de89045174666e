$(eval $(call preload,libhandles.so,clients/handles.c,-O2))
