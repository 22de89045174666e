# What `make install` puts there for the systems that start programs, and `make deb`.
DEPLOY_FILES := winord-facts.service 60-winord.rules slurm-prolog slurm-task-prolog
BASH_COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions

.PHONY: install-deploy
install: install-deploy
install-deploy:
	install -d '$(DESTDIR)$(PREFIX)/share/winord/deploy/kubernetes' '$(DESTDIR)$(BASH_COMPLETIONS)' '$(DESTDIR)$(ZSH_COMPLETIONS)'
	for file in $(DEPLOY_FILES); do \
	  install -m "$$(stat -c %a "deploy/$$file")" "deploy/$$file" '$(DESTDIR)$(PREFIX)/share/winord/deploy/' && \
	  sed -i 's|/usr/bin/winord|$(PREFIX)/bin/winord|' "$(DESTDIR)$(PREFIX)/share/winord/deploy/$$file" || exit 1; done
	install -m 644 deploy/kubernetes/*.yaml '$(DESTDIR)$(PREFIX)/share/winord/deploy/kubernetes/'
	install -m 644 completions/winord.bash '$(DESTDIR)$(BASH_COMPLETIONS)/winord'
	install -m 644 completions/winord.zsh '$(DESTDIR)$(ZSH_COMPLETIONS)/_winord'

# The package, in $(BUILD)/deb.
.PHONY: deb
deb:
	@scripts/setup deb
	@scripts/build-deb '$(BUILD)/deb'
