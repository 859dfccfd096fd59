import { invalidParam } from '../domain/errors.js';
import { isCommonPassword } from './common-passwords.js';

/** Characters, as people count them. */
export const PASSWORD_LENGTH = { min: 12, max: 128 };
/** Fewer different characters are a pattern, such as `aaaabbbbaaaa`. */
const DIFFERENT_MIN = 5;
const PRODUCT = 'coffer';

/**
 * Refuses passwords that are guessed first. Length matters, not composition: any characters are allowed.
 * @throws DomainError `invalid_request`
 */
export async function assertStrongPassword(password: string, email: string, param: string): Promise<void> {
  const problem = await problemOf(password.toLowerCase(), email);
  if (problem !== null) throw invalidParam(param, `${param} ${problem}`);
}

async function problemOf(text: string, email: string): Promise<string | null> {
  const [name = ''] = email.split('@', 1);
  if (new Set(text).size < DIFFERENT_MIN) return 'repeats too few characters.';
  if (text.includes(email) || (name.length > 3 && text.startsWith(name))) return 'must not contain the e-mail address.';
  if (text.includes(PRODUCT)) return `must not contain "${PRODUCT}", the name of this service.`;
  if (await isCommonPassword(text)) {
    return 'is one of the most used passwords, or one of them with digits or signs around it. Choose several unrelated words.';
  }
  return null;
}
