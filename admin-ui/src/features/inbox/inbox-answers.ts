import type { components } from '../../api/schema.d.ts';
import type { Tone } from '../../ui/status-badge.tsx';

export type Inbox = components['schemas']['Inbox'];
export type InboxAnswer = Inbox['answer'];

/** The request that is open, and the place in the list. */
export interface InboxSearch {
  readonly request?: string | undefined;
  readonly after?: string | undefined;
}

/** What an inbox can answer, in words, and how it is to be read. */
export const ANSWERS: Readonly<
  Record<InboxAnswer, { readonly label: string; readonly word: string; readonly tone: Tone }>
> = {
  '200': { word: '200', label: '200: accepts', tone: 'good' },
  '401': { word: '401', label: '401: refuses the signature', tone: 'bad' },
  '500': { word: '500', label: '500: fails', tone: 'bad' },
  timeout: { word: 'No answer', label: 'No answer for 20 s', tone: 'warning' },
};
