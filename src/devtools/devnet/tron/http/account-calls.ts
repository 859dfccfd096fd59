import { addressBytes, parseAddress } from '../address.js';
import {
  RESOURCES,
  SUN_PER_TRX,
  WINDOW_PRECISION,
  WINDOW_SLOTS,
  type Resource,
  type TronAccount,
  type UsableResource,
} from '../chain/account.js';
import { delegationKey, type Delegation } from '../chain/delegation.js';
import { delegatable } from '../chain/delegating.js';
import { accountLimit, usedAt } from '../chain/resource-usage.js';
import { withoutDefaults, type JsonObject } from '../wire/json.js';
import { bytesJson } from '../wire/message-json.js';
import type { NodeView } from './node-view.js';
import type { Handlers, RequestParams } from './request.js';

const SLOT_MS = 3_000n;
const HEX_ADDRESS_LENGTH = 42;
const BASE58_ADDRESS_LENGTH = 34;
/** The contract types that an active permission allows by default. Source: DynamicPropertiesStore. */
const DEFAULT_OPERATIONS = '7fff1fc0033efb0f000000000000000000000000000000000000000000000000';

/** Calls that answer accounts and their resources, on both interfaces. Accounts that were never activated are `{}`. */
export const ACCOUNT_CALLS: Handlers = {
  getaccount: (params, view) => {
    const account = view.state.accounts.get(params.address('address'));
    return account === null ? {} : accountJson(account, view, params.isVisible);
  },
  getdelegatedresourcev2: (params, view) => {
    const [from, to] = [params.address('fromAddress'), params.address('toAddress')];
    const found = [false, true].map((isLocked) => view.state.delegations.get(delegationKey(from, to, isLocked)));
    const delegatedResource = found.flatMap((one) => (one === null ? [] : [delegationJson(one, params.isVisible)]));
    return withoutDefaults({ delegatedResource });
  },
  getcandelegatedmaxsize: (params, view) => {
    const account = view.state.accounts.get(params.address('owner_address'));
    const resource = (['BANDWIDTH', 'ENERGY'] as const)[params.number('type')];
    if (account === null || resource === undefined) return {};
    const { state, parameters, slot } = view.context;
    const size = delegatable(state, parameters, resource, account, slot);
    return withoutDefaults({ max_size: size < SUN_PER_TRX ? 0n : size });
  },
};

/** Calls about accounts that only a full node answers. */
export const FULL_NODE_ACCOUNT_CALLS: Handlers = {
  getaccountresource: (params, view) => {
    const account = view.state.accounts.get(params.address('address'));
    return account === null ? {} : { ...netJson(account, view), ...energyJson(account, view) };
  },
  getaccountnet: (params, view) => {
    const account = view.state.accounts.get(params.address('address'));
    return account === null ? {} : netJson(account, view);
  },
  validateaddress: (params) => validateAddress(params),
};

/** Source: ValidateAddressServlet. */
function validateAddress(params: RequestParams): JsonObject {
  const text = params.text('address');
  const form = { [HEX_ADDRESS_LENGTH]: 'Hex string format', [BASE58_ADDRESS_LENGTH]: 'Base58check format' }[
    text.length
  ];
  if (form === undefined) return { result: false, message: 'Length error' };
  return parseAddress(text) === null ? { result: false, message: 'Invalid address' } : { result: true, message: form };
}

/** Source: Wallet.getAccount. */
function accountJson(account: TronAccount, view: NodeView, isVisible: boolean): JsonObject {
  const { slot } = view.context;
  const { genesisTime } = view.node.chain.blocks;
  const timeOf = (at: bigint): bigint => BigInt(genesisTime) + at * SLOT_MS;
  const address = shown(account.address, isVisible);
  const { BANDWIDTH, ENERGY } = account.usage;
  const key = { threshold: 1, keys: [{ address, weight: 1 }] };
  const permissions =
    account.type === 'Contract'
      ? {}
      : {
          owner_permission: { permission_name: 'owner', ...key },
          active_permission: [
            { type: 'Active', id: 2, permission_name: 'active', operations: DEFAULT_OPERATIONS, ...key },
          ],
        };
  return withoutDefaults({
    type: account.type === 'Contract' ? 'Contract' : undefined,
    address,
    balance: account.balance,
    net_usage: usedAt(BANDWIDTH, slot),
    create_time: account.createdAt,
    latest_opration_time: account.lastOperationAt,
    free_net_usage: usedAt(account.freeNet, slot),
    latest_consume_time: timeOf(BANDWIDTH.slot),
    latest_consume_free_time: timeOf(account.freeNet.slot),
    net_window_size: WINDOW_SLOTS * WINDOW_PRECISION,
    net_window_optimized: true,
    account_resource: withoutDefaults({
      energy_usage: usedAt(ENERGY, slot),
      latest_consume_time_for_energy: timeOf(ENERGY.slot),
      energy_window_size: WINDOW_SLOTS * WINDOW_PRECISION,
      energy_window_optimized: true,
      delegated_frozenV2_balance_for_energy: account.delegated.ENERGY,
      acquired_delegated_frozenV2_balance_for_energy: account.acquired.ENERGY,
    }),
    ...permissions,
    frozenV2: RESOURCES.map((resource) =>
      withoutDefaults({ type: typeName(resource), amount: account.staked[resource] }),
    ),
    unfrozenV2: account.unstaking.map(({ resource, amount, expiresAt }) =>
      withoutDefaults({ type: typeName(resource), unfreeze_amount: amount, unfreeze_expire_time: expiresAt }),
    ),
    delegated_frozenV2_balance_for_bandwidth: account.delegated.BANDWIDTH,
    acquired_delegated_frozenV2_balance_for_bandwidth: account.acquired.BANDWIDTH,
    asset_optimized: true,
  });
}

/** Source: Wallet.getAccountNet. */
function netJson(account: TronAccount, view: NodeView): JsonObject {
  const { state, parameters, slot } = view.context;
  return withoutDefaults({
    freeNetUsed: usedAt(account.freeNet, slot),
    freeNetLimit: parameters.getFreeNetLimit,
    NetUsed: usedAt(account.usage.BANDWIDTH, slot),
    NetLimit: limitOf(account, view, 'BANDWIDTH'),
    TotalNetLimit: parameters.getTotalNetLimit,
    TotalNetWeight: state.totals.get('netWeight') ?? 0n,
  });
}

/** Source: Wallet.getAccountResource. */
function energyJson(account: TronAccount, view: NodeView): JsonObject {
  const { state, parameters, slot } = view.context;
  const { staked, delegated } = account;
  const stakedSun = RESOURCES.reduce((sum, resource) => sum + staked[resource], delegated.BANDWIDTH + delegated.ENERGY);
  return withoutDefaults({
    TotalTronPowerWeight: state.totals.get('tronPowerWeight') ?? 0n,
    tronPowerLimit: stakedSun / SUN_PER_TRX,
    EnergyUsed: usedAt(account.usage.ENERGY, slot),
    EnergyLimit: limitOf(account, view, 'ENERGY'),
    TotalEnergyLimit: parameters.getTotalEnergyCurrentLimit,
    TotalEnergyWeight: state.totals.get('energyWeight') ?? 0n,
  });
}

function delegationJson({ from, to, amounts, expiresAt }: Delegation, isVisible: boolean): JsonObject {
  return withoutDefaults({
    from: shown(from, isVisible),
    to: shown(to, isVisible),
    frozen_balance_for_bandwidth: amounts.BANDWIDTH,
    frozen_balance_for_energy: amounts.ENERGY,
    expire_time_for_bandwidth: expiresAt.BANDWIDTH,
    expire_time_for_energy: expiresAt.ENERGY,
  });
}

function limitOf(account: TronAccount, view: NodeView, resource: UsableResource): bigint {
  const { state, parameters } = view.context;
  return accountLimit(state, parameters, resource, account);
}

/** The first resource is the default, which java-tron leaves out. */
const typeName = (resource: Resource): string => (resource === 'BANDWIDTH' ? '' : resource);

const shown = (key: string, isVisible: boolean): string => bytesJson('address', addressBytes(key), isVisible);
