import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { FormError } from '../../session/form-error.tsx';
import { may, useSession } from '../../session/session.ts';
import { useSubmit } from '../../session/use-submit.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import styles from './notes-panel.module.css';

type Kind = components['schemas']['Note']['subject_kind'];

interface NotesProps {
  readonly kind: Kind;
  readonly id: string;
}

const TEXT_MAX = 2_000;
const SHOWN_MAX = 100;

/** What staff have noted about something, and the field for one more. Notes are never changed. */
export function NotesPanel({ kind, id }: NotesProps) {
  const environment = useEnvironment();
  const session = useSession();
  const query = { subject_kind: kind, subject_id: id, limit: SHOWN_MAX } as const;
  const live = useLive('notes');
  const notes = useQuery({
    queryKey: ['notes', environment, id],
    queryFn: ({ signal, client: cache }) =>
      answerOf(
        api.GET('/admin/api/{environment}/notes', {
          params: { path: { environment }, query },
          signal,
          headers: cache.getQueryData(['notes', environment, id]) === undefined ? {} : BACKGROUND,
        }),
      ),
    ...live,
  });
  return (
    <Panel title="Notes">
      {notes.error !== null && <ErrorState error={asApiError(notes.error)} onRetry={() => void notes.refetch()} />}
      {notes.isPending && <Loading />}
      {notes.data?.data.length === 0 && <Text size="sm">No notes yet.</Text>}
      {notes.data !== undefined && notes.data.data.length > 0 && (
        <ul className={styles['list']}>
          {notes.data.data.map((note) => (
            <li key={note.id}>
              <div className={styles['by']}>
                <ForeignText value={note.author} /> <Time at={note.created_at} />
              </div>
              <ForeignText value={note.text} max={TEXT_MAX} />
            </li>
          ))}
        </ul>
      )}
      {notes.data?.has_more === true && <Text size="sm">Only the newest {SHOWN_MAX} are shown.</Text>}
      {may(session, environment, 'intents.note') && <NoteForm key={`${environment} ${id}`} kind={kind} id={id} />}
    </Panel>
  );
}

function NoteForm({ kind, id }: NotesProps) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const draft = useDraft(`note ${id}`);
  const field = useRef<HTMLTextAreaElement>(null);
  const { isSending, error, onSubmit } = useSubmit(async () => {
    const body = { subject_kind: kind, subject_id: id, text: draft.text.trim() };
    await answerOf(api.POST('/admin/api/{environment}/notes', { params: { path: { environment } }, body }));
    draft.forget();
    field.current?.focus();
    await Promise.all([
      client.invalidateQueries({ queryKey: ['notes', environment, id] }),
      client.invalidateQueries({ queryKey: ['intent', environment, id] }),
    ]);
  });
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="xs">
        <Textarea
          ref={field}
          label="New note"
          description="For staff; it cannot be changed or removed."
          autosize
          minRows={2}
          maxLength={TEXT_MAX}
          required
          value={draft.text}
          onChange={({ currentTarget }) => draft.setText(currentTarget.value)}
        />
        <FormError error={error} />
        <Group>
          <Button type="submit" size="xs" loading={isSending}>
            Add note
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
