import { ERROR_CODES } from '../../src/domain/errors.js';
import { ErrorBodySchema } from '../../src/http/error-body.js';
import { ERROR_CATALOGUE } from '../../src/http/error-catalogue.js';
import { headingsOf, readDocument, sectionOf } from '../support/markdown.js';

const document = readDocument('docs/errors.md');

/** The error objects shown in a text. */
const examplesIn = (text: string) =>
  [...text.matchAll(/```json\n([^]*?)```/g)].map(([, json = '']) => ErrorBodySchema.parse(JSON.parse(json)).error);

describe('docs/errors.md', () => {
  it('has one section for each error code, in the order of the code', () => {
    expect(headingsOf(document, 2)).toEqual(ERROR_CODES);
  });

  it.each(ERROR_CODES)('describes %s as the catalogue does', (code) => {
    const section = sectionOf(document, code);
    const kind = ERROR_CATALOGUE[code];
    expect(section).toContain(`**Status ${kind.status}** · \`${kind.type}\``);
    expect(section.includes('· retryable')).toBe(kind.retryable);
    if (kind.retryAfterSeconds !== undefined) expect(section).toContain(`\`Retry-After\` ${kind.retryAfterSeconds} s`);
    expect(section).toContain('**What to do.**');
  });

  it.each(ERROR_CODES)('shows an example of %s as the service would write it', (code) => {
    const { type, retryable } = ERROR_CATALOGUE[code];
    const [example, ...others] = examplesIn(sectionOf(document, code));
    expect(others).toEqual([]);
    expect(example).toMatchObject({ code, type, retryable, doc_url: expect.stringMatching(`/docs/errors#${code}$`) });
  });

  it('begins with an example of an error with several faults', () => {
    expect(examplesIn(document.split('\n## ', 1)[0] ?? '')[0]?.errors).toHaveLength(2);
  });
});
