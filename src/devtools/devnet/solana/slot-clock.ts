import type { SolanaChain } from './chain.js';

/** A clock that is further behind, such as after a suspended machine, continues from now. */
const SLOTS_BEHIND_MAX = 50;

/** Makes a block per slot while the chain is automatic. Changes of the machine's clock do not stop it. */
export class SlotClock {
  private readonly chain: SolanaChain;
  private readonly slotMs: number;
  private timer: NodeJS.Timeout | undefined;
  /** By the clock of the process. */
  private dueMs = performance.now();

  constructor(chain: SolanaChain, slotMs: number) {
    this.chain = chain;
    this.slotMs = slotMs;
  }

  start(): void {
    this.timer = setTimeout(() => this.tick(), Math.max(1, this.dueMs - performance.now()));
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private tick(): void {
    const nowMs = performance.now();
    if (!this.chain.isAutomatic || nowMs - this.dueMs > SLOTS_BEHIND_MAX * this.slotMs) this.dueMs = nowMs;
    while (this.chain.isAutomatic && this.dueMs <= nowMs) {
      this.chain.closeSlot(this.blockTimeMs(), this.slotMs);
      this.dueMs += this.slotMs;
    }
    if (!this.chain.isAutomatic) this.dueMs = nowMs + this.slotMs;
    this.start();
  }

  /** Blocks are equally far apart, so that they are one run of the ledger, unless their time has left that of the chain. */
  private blockTimeMs(): number {
    const nextMs = this.chain.ledger.head.timeMs + this.slotMs;
    const nowMs = this.chain.nowMs();
    return Math.abs(nextMs - nowMs) <= SLOTS_BEHIND_MAX * this.slotMs ? nextMs : nowMs;
  }
}
