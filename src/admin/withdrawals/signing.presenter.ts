import type { Freeze, SigningPlace } from '../../withdrawals/payouts/signing-places.service.js';
import { presentTime } from '../amount.js';
import type { SigningFreezeObject, SigningObject } from './signing.schema.js';

/** A freeze as staff see it. */
export const presentFreeze = ({ actor, reason, createdAt }: Freeze): SigningFreezeObject => ({
  by: actor,
  at: presentTime(createdAt),
  reason,
});

/** A network or a merchant, and whether payments are signed there. */
export const presentPlace = ({
  kind,
  id,
  name,
  frozenReason,
  freezes,
}: SigningPlace): SigningObject['places'][number] => ({
  kind,
  id,
  name,
  frozen_reason: frozenReason,
  freezes: freezes.map(presentFreeze),
});
