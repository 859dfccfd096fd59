/** Sun of one TRX. */
export const SUN_PER_TRX = 1_000_000n;

/** What can be staked for; `TRON_POWER` only votes. */
export const RESOURCES = ['BANDWIDTH', 'ENERGY', 'TRON_POWER'] as const;
export type Resource = (typeof RESOURCES)[number];
/** What can be used up and delegated. */
export type UsableResource = Exclude<Resource, 'TRON_POWER'>;

/** How much of a resource was used, and the slot of the last use; it recovers within `window` slots. */
export interface ResourceUsage {
  readonly used: bigint;
  readonly slot: bigint;
  /** In thousandths of a slot. */
  readonly window: bigint;
}

/** Staked sun that an owner has taken back and will get at a time. */
export interface Unstaking {
  readonly resource: Resource;
  readonly amount: bigint;
  readonly expiresAt: number;
}

/** An activated account. Amounts in sun, times in ms. */
export interface TronAccount {
  readonly address: string;
  readonly type: 'Normal' | 'Contract';
  readonly balance: bigint;
  readonly createdAt: number;
  readonly lastOperationAt: number;
  readonly freeNet: ResourceUsage;
  readonly usage: Readonly<Record<UsableResource, ResourceUsage>>;
  /** Staked by itself and not delegated. */
  readonly staked: Readonly<Record<Resource, bigint>>;
  readonly delegated: Readonly<Record<UsableResource, bigint>>;
  readonly acquired: Readonly<Record<UsableResource, bigint>>;
  readonly unstaking: readonly Unstaking[];
  /** Of a contract: the number of contracts that it has created. */
  readonly nonce: bigint;
}

/** 24 hours in slots of 3 seconds. Source: ResourceProcessor. */
export const WINDOW_SLOTS = 28_800n;
/** Source: ResourceProcessor (WINDOW_SIZE_PRECISION). */
export const WINDOW_PRECISION = 1_000n;

const UNUSED: ResourceUsage = { used: 0n, slot: 0n, window: WINDOW_SLOTS * WINDOW_PRECISION };

/** Makes an account without anything. */
export function newAccount(address: string, type: TronAccount['type'], createdAt: number): TronAccount {
  return {
    address,
    type,
    balance: 0n,
    createdAt,
    lastOperationAt: 0,
    freeNet: UNUSED,
    usage: { BANDWIDTH: UNUSED, ENERGY: UNUSED },
    staked: { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n },
    delegated: { BANDWIDTH: 0n, ENERGY: 0n },
    acquired: { BANDWIDTH: 0n, ENERGY: 0n },
    unstaking: [],
    nonce: 1n,
  };
}
