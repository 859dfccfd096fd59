import { Injectable } from '@nestjs/common';

/** Whether the seed of this process can be used: told by the vault role, for monitors. */
@Injectable()
export class VaultState {
  /** False in every process without the vault role, too: it has no seed. */
  isOpen = false;
}
