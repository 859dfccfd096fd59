import { Injectable } from '@nestjs/common';

/** Whether this process has an open vault; set by the vault role, read by monitors. */
@Injectable()
export class VaultState {
  /** Always false in a process without the vault role. */
  isOpen = false;
  /** Why the vault is sealed; null while it is open, and in processes without the vault role. */
  sealedBecause: string | null = null;
}
