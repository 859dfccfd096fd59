import { hash, verify } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';

/** argon2id, which is the library's default algorithm: 64 MiB, three passes, one lane. */
const OPTIONS = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };
/** Each takes 64 MiB and a thread that DNS look-ups share. */
const AT_ONCE = 2;
const QUEUE_MAX = 16;
/** The hash of an unknown password, with the options above, for accounts without one. */
const DUMMY = '$argon2id$v=19$m=65536,t=3,p=1$obWZf/PLTtkNDyKQdAiSaQ$TafMP/i55Biyi8VHwur4hlp+yZ0u9TA+WORsPOqPGpM';

/** Hashes passwords, a few at a time: a flood of sign-ins must not take the memory and the threads of the process. */
@Injectable()
export class PasswordHasher {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @throws DomainError `rate_limited` when too many hashes wait */
  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(password, OPTIONS));
  }

  /**
   * Whether the password has this hash. Null takes as long and is false, so that the time reveals no account.
   * @throws DomainError `rate_limited` when too many hashes wait
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    const isRight = await this.inTurn(() => verify(passwordHash ?? DUMMY, password));
    return isRight && passwordHash !== null;
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running >= AT_ONCE) await this.turn();
    else this.running++;
    try {
      return await work();
    } finally {
      // The turn passes on to the next one, so that no caller overtakes the queue.
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= QUEUE_MAX) {
      throw new DomainError('rate_limited', 'Too many sign-ins at once.', { retryAfterSeconds: 2 });
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
