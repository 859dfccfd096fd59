import { z } from 'zod';
import { bodyOf, safeText } from '../../http/request-schema.js';
import { reason } from '../reason-body.js';

/** The two kinds of places at which signing is frozen. */
const SIGNING_PLACES = ['network', 'merchant'] as const;

const freeze = z
  .object({
    by: z.string().meta({ description: 'The member of staff, the operator or the part of the service.' }),
    at: z.iso.datetime({ precision: 3 }),
    reason: z.string().nullable(),
  })
  .meta({ id: 'SigningFreeze' });
export type SigningFreezeObject = z.infer<typeof freeze>;

/** The freezes of a place since it was last unfrozen. */
export const freezesSchema = z.array(freeze).meta({
  description: 'Who froze it since it was last unfrozen, the oldest first. Empty when an audit of the books did.',
});

const place = z
  .object({
    kind: z.enum(SIGNING_PLACES),
    id: z.string().meta({ description: 'The network, or the id of the merchant.' }),
    name: z.string().meta({ description: 'The network, or the name of the merchant.' }),
    frozen_reason: z.string().nullable().meta({ description: 'Why nothing is signed there; null where it is.' }),
    freezes: freezesSchema,
  })
  .meta({ id: 'SigningPlace' });

/** Where withdrawals are signed, and where not. */
export const signingSchema = z
  .object({
    object: z.literal('signing').meta({ description: 'Always `signing`.' }),
    places: z.array(place).meta({ description: 'Every network with a hot wallet, and every frozen merchant.' }),
  })
  .meta({ id: 'Signing' });
export type SigningObject = z.infer<typeof signingSchema>;

const signingFields = {
  kind: z.enum(SIGNING_PLACES).meta({ description: 'Whether the hot wallet of a network or a merchant is meant.' }),
  id: safeText({ min: 1, max: 64 }).meta({ description: 'The network, or the id of the merchant.' }),
  reason,
};

export const signingBody = bodyOf(signingFields).meta({ id: 'ChangeSigning' });
export type SigningBody = z.infer<typeof signingBody>;

export const unfreezeBody = bodyOf({
  ...signingFields,
  frozen_reason: safeText({ min: 1, max: 100_000 }).meta({
    description: 'The `frozen_reason` that you saw. A freeze that came after it is not lifted: the answer is 409.',
  }),
}).meta({ id: 'UnfreezeSigning' });
export type UnfreezeBody = z.infer<typeof unfreezeBody>;

/** The answer to a freeze. */
export const signingChangeSchema = z
  .object({
    object: z.literal('signing_change').meta({ description: 'Always `signing_change`.' }),
    kind: z.enum(SIGNING_PLACES),
    id: z.string(),
    before: z.string().nullable().meta({ description: 'Why nothing was signed there before; null where it was.' }),
  })
  .meta({ id: 'SigningChange' });
export type SigningChangeObject = z.infer<typeof signingChangeSchema>;
