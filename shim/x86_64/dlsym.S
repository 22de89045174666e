/*
 * void *dlsym(void *handle, const char *name)
 *
 * Asks dlsym_route what to do, then either jumps to the next dlsym with the caller's own return address still on the stack
 * (RTLD_NEXT and RTLD_DEFAULT depend on it) or returns the answer. Touches neither errno nor dlerror.
 */
	.text
	.globl	dlsym
	.type	dlsym, @function
	.globl	winord_dlsym
	.hidden	winord_dlsym
	.set	winord_dlsym, dlsym
	.p2align 4
dlsym:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	movq	24(%rsp), %rdx
	call	dlsym_route
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%rax, %rax
	jz	1f
	jmp	*%rax
1:	movq	%rdx, %rax
	ret
	.cfi_endproc
	.size	dlsym, . - dlsym
	.section .note.GNU-stack, "", @progbits
