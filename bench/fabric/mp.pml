/*
 * Put, then signal, over one PCIe link into the receiver's memory: may the receiver see the signal before the payload?
 * Written from the ordering table of the PCIe Base Specification (2.4.1, Table 2-40 in 5.0), not from ordering.c: a link is a
 * row of TLPs in which a switch lets one overtake its neighbour. By hand:
 *   spin -a -DENGINE=SIGNAL_ATOMIC -DSIGNAL_RO=1 mp.pml && cc -DSAFETY -o pan pan.c && ./pan
 */
mtype = { WRITE, READ, ATOMIC, COMPLETION };
mtype = { SIGNAL_WRITE, SIGNAL_ATOMIC, SIGNAL_RMW, SIGNAL_FLUSH_WRITE, SIGNAL_FLUSH_ATOMIC, SIGNAL_FLUSH, SIGNAL_COMPLETION };

#ifndef ENGINE
#define ENGINE SIGNAL_WRITE
#endif
#ifndef PAYLOAD
#define PAYLOAD WRITE
#endif
#ifndef PAYLOAD_RO
#define PAYLOAD_RO 0
#endif
#ifndef SIGNAL_RO
#define SIGNAL_RO 0
#endif
#ifndef SIGNAL_IDO
#define SIGNAL_IDO 0
#endif
#ifndef SIGNAL_ID		/* the payload's is 0 */
#define SIGNAL_ID 0
#endif
#ifndef SIGNAL_TRANSACTION	/* the payload's is 0 */
#define SIGNAL_TRANSACTION 1
#endif

#define PUTS 3
#define LENGTH 5		/* the payload, and a signal of at most two TLPs */
#define SIGNAL PUTS		/* labels: 0 to PUTS-1 are payload */
#define FLUSH 4

typedef Tlp {
	mtype type;
	bit ro;
	bit ido;
	bit id;			/* who requested it; of a completion, who completed */
	bit transaction;
	byte label
}

Tlp link[LENGTH];		/* link[0] is next to arrive */
Tlp spare;
byte used;
bit there[PUTS];		/* what memory has of the payload */
bit signalled;
bit completed;			/* the NIC has the answer to its flush */

/* Second column: what a TLP that comes behind a posted request needs, to overtake it. Reads: RO is no help. */
#define by_id(t, e)		(t.ido && t.id != e.id)
#define passes_posted(t, e)	((t.ro && t.type != READ) || by_id(t, e))
/* Last column, last row: the parts of one answer stay in order. */
#define parts(t, e)		(t.type == COMPLETION && e.type == COMPLETION && t.transaction == e.transaction)
/* All else is free, or has to be possible so that nothing locks up. */
#define passes(t, e)		(e.type == WRITE -> passes_posted(t, e) : !parts(t, e))

inline copy(to, from) {
	to.type = from.type; to.ro = from.ro; to.ido = from.ido; to.id = from.id;
	to.transaction = from.transaction; to.label = from.label
}

inline send(Type, Ro, Ido, Id, Transaction, Label) {
	d_step {
		link[used].type = Type; link[used].ro = Ro; link[used].ido = Ido; link[used].id = Id;
		link[used].transaction = Transaction; link[used].label = Label;
		used++
	}
}

inline send_payload(Label)	{ send(PAYLOAD, PAYLOAD_RO, 0, 0, 0, Label) }
inline send_signal(Type)	{ send(Type, SIGNAL_RO, SIGNAL_IDO, SIGNAL_ID, SIGNAL_TRANSACTION, SIGNAL) }
inline read_and_wait(Ro)	{ send(READ, Ro, SIGNAL_IDO, SIGNAL_ID, 0, FLUSH); completed }

active proctype nic() {
	send_payload(0);
	send_payload(1);
	send_payload(2);
	if
	:: ENGINE == SIGNAL_WRITE -> send_signal(WRITE)
	:: ENGINE == SIGNAL_ATOMIC -> send_signal(ATOMIC)
	:: ENGINE == SIGNAL_RMW -> read_and_wait(SIGNAL_RO); send_signal(WRITE)
	:: ENGINE == SIGNAL_FLUSH_WRITE -> read_and_wait(0); send_signal(WRITE)
	:: ENGINE == SIGNAL_FLUSH_ATOMIC -> read_and_wait(0); send_signal(ATOMIC)
	:: ENGINE == SIGNAL_FLUSH -> send_signal(READ)
	:: ENGINE == SIGNAL_COMPLETION -> send_signal(COMPLETION)
	fi
}

inline swap(at) {
	copy(spare, link[at]); copy(link[at], link[at - 1]); copy(link[at - 1], spare);
	spare.type = 0; spare.ro = 0; spare.ido = 0; spare.id = 0; spare.transaction = 0; spare.label = 0
}

active proctype fabric() {
	byte i;
end:	do
	:: d_step { used > 1 && passes(link[1], link[0]) -> swap(1) }
	:: d_step { used > 2 && passes(link[2], link[1]) -> swap(2) }
	:: d_step { used > 3 && passes(link[3], link[2]) -> swap(3) }
	:: d_step { used > 4 && passes(link[4], link[3]) -> swap(4) }
	:: d_step {
		used > 0 ->
		if
		:: link[0].label < PUTS -> there[link[0].label] = 1
		:: link[0].label == SIGNAL -> signalled = 1
		:: link[0].label == FLUSH -> completed = 1
		fi;
		i = 1;
		do
		:: i < used -> copy(link[i - 1], link[i]); i++
		:: else -> break
		od;
		used--; i = 0
	}
	od
}

active proctype receiver() {
	signalled;
	assert(there[0] && there[1] && there[2])
}
