import { Injectable } from '@nestjs/common';

/** Whether the seed of this process can be used: told by the vault role, for monitors. */
@Injectable()
export class VaultState {
  /** False in every process without the vault role, too: it has no seed. */
  isOpen = false;
  /** Why the vault role has no seed to work with; null while it has one, and in every other process. */
  sealedBecause: string | null = null;
}
