/*
 * void *dlsym(void *handle, const char *name)
 *
 * Asks dlsym_route what to do, then either jumps to the next dlsym with the caller's own return address still in x30
 * (RTLD_NEXT and RTLD_DEFAULT depend on it) or returns the answer. Touches neither errno nor dlerror.
 */
	.text
	.globl	dlsym
	.type	dlsym, %function
	.globl	winord_dlsym
	.hidden	winord_dlsym
	.set	winord_dlsym, dlsym
	.p2align 4
dlsym:
	.cfi_startproc
	hint	#34 /* bti c */
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	mov	x2, x30
	bl	dlsym_route
	cbz	x0, 1f
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	.cfi_remember_state
	ldp	x29, x30, [sp], #32
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	br	x16
1:	.cfi_restore_state
	mov	x0, x1
	ldp	x29, x30, [sp], #32
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	dlsym, . - dlsym
	.section .note.GNU-stack, "", %progbits
