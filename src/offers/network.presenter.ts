import { NATIVE_COIN } from '../domain/network.js';
import { type ChainView, troubleOf } from './network-views.service.js';
import type { NetworkObject } from './network.schema.js';

/** A network that is on offer, with its status and its tokens. */
export function presentNetwork(view: ChainView): NetworkObject {
  const trouble = troubleOf(view);
  return {
    id: view.network,
    object: 'network',
    network: view.network,
    chain_id: view.chainId,
    status: trouble?.status ?? 'ok',
    status_reason: trouble?.reason ?? null,
    confirmations: view.confirmations,
    listener: {
      height: view.height,
      head_height: view.headHeight,
      lag_seconds: Math.round(view.lagMs / 100) / 10,
    },
    tokens: view.tokens.map((token) => ({
      token: token.symbol,
      contract: token.contract === NATIVE_COIN ? null : token.contract,
      decimals: token.decimals,
      minor_unit_exponent: token.minorUnitExponent,
      minimum_amount: token.minimumAmount,
      enabled: token.enabled,
    })),
  };
}
