import { z } from 'zod';
import { addressKeyOf } from '../domain/address-form.js';
import { transactionHashFormOf } from '../domain/transaction-hash.js';
import { safeText } from './request-schema.js';

const TEXT_MAX = 128;

/** The schema of an address to search for. Parses to its family and key, so that any spelling finds the address. */
export function addressText() {
  return formText(addressKeyOf, 'must be an address', '0x8ba1f109551bD432803012645Ac136ddd64DBA72');
}

/** The schema of a transaction hash to search for. Parses to its family and key. */
export function transactionHashText() {
  return formText(transactionHashFormOf, 'must be a transaction hash', `0x${'5f'.repeat(32)}`);
}

function formText<Form>(formOf: (text: string) => Form | null, error: string, example: string) {
  return safeText({ min: 1, max: TEXT_MAX })
    .transform((text, ctx) => {
      const form = formOf(text);
      if (form !== null) return form;
      ctx.addIssue({ code: 'custom', message: error, input: text });
      return z.NEVER;
    })
    .meta({ examples: [example] });
}
