$(eval $(call preload,libstarve.so,robust/starve.c,-O2))
