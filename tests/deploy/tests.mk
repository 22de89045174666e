# What the documents' `./train` is.
$(eval $(call program,fake/demo,fake/demo.c,libnccl.so.2))
