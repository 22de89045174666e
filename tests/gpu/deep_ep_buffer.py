"""deep_ep_buffer.py RANKS [hybrid]: DeepEP's elastic buffer in RANKS processes, on as many GPUs as there are.

Every token goes to all ranks and is sent back as it came, so that what is combined is the token, RANKS times. The first
rank prints a line per stage; an error of any rank ends all, with status 1. A single rank has nobody to exchange with.
It knows nothing of winord.
"""
import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing

TOKENS, HIDDEN, EXPERTS_PER_RANK, SMS, QPS = 128, 7168, 4, 16, 17


def route(ranks):
    """One expert on each rank for every token, and equal weights."""
    expert = torch.arange(TOKENS, device="cuda").unsqueeze(1) % EXPERTS_PER_RANK
    experts = expert + EXPERTS_PER_RANK * torch.arange(ranks, device="cuda")
    return experts, torch.full((TOKENS, ranks), 1.0 / ranks, device="cuda", dtype=torch.float)


def exchange(buffer, deep_ep, ranks):
    """Dispatches and combines once; returns the tokens received, and whether every token came back right."""
    tokens = torch.randn((TOKENS, HIDDEN), device="cuda", dtype=torch.bfloat16)
    experts, weights = route(ranks)
    received, _, received_weights, handle, _ = buffer.dispatch(
        tokens, topk_idx=experts.to(deep_ep.topk_idx_t), topk_weights=weights, num_experts=EXPERTS_PER_RANK * ranks,
        num_sms=SMS)
    combined, _, _ = buffer.combine(received, handle=handle, topk_weights=received_weights)
    torch.cuda.synchronize()
    return handle.num_recv_tokens, torch.equal(combined, tokens * ranks)


def run(rank, ranks, hybrid):
    import deep_ep

    def say(text):
        if rank == 0:
            print(text, flush=True)

    say(f"imported DeepEP {deep_ep.__version__}")
    device = torch.device("cuda", rank % torch.cuda.device_count())
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{os.environ.get('MASTER_PORT', '8361')}",
                            world_size=ranks, rank=rank, device_id=device)
    torch.manual_seed(rank)
    buffer = deep_ep.ElasticBuffer(dist.group.WORLD, num_max_tokens_per_rank=TOKENS, hidden=HIDDEN, num_topk=ranks,
                                   allow_hybrid_mode=hybrid, num_allocated_qps=QPS, num_gpu_timeout_secs=30,
                                   num_cpu_timeout_secs=30, explicitly_destroy=True)
    say(f"buffer of {ranks} ranks, RDMA x NVLink {buffer.num_rdma_ranks} x {buffer.num_nvlink_ranks}")
    buffer.barrier()
    torch.cuda.synchronize()
    say("barrier done")
    if ranks > 1:
        count, right = exchange(buffer, deep_ep, ranks)
        if not right:
            raise AssertionError(f"rank {rank}: combined tokens differ")
        say(f"dispatched and combined: {count} tokens received, all right")
    buffer.destroy()
    dist.destroy_process_group()


if __name__ == "__main__":
    count = int(sys.argv[1])
    torch.multiprocessing.spawn(run, args=(count, sys.argv[2:] == ["hybrid"]), nprocs=count)
