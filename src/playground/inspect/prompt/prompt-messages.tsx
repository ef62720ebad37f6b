import { useMemo, useState } from 'preact/hooks';
import { plural } from '../../text/figures.js';
import { LongText } from '../../text/long-text.js';
import { ItemName } from '../context/item-name.js';
import { type PromptMessage, type PromptSection, sectionsOf } from './prompt-sections.js';

/** The messages of a prompt with their fences, all collapsible. Unchanged messages start collapsed. */
export const PromptMessages = ({ messages }: { messages: readonly PromptMessage[] }) => (
  <ol class="messages">
    {messages.map((message, index) => (
      <Message key={index} message={message} isOpen={message.kept < message.text.length} />
    ))}
  </ol>
);

function Message({ message, isOpen }: { message: PromptMessage; isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const { role, text, kept } = message;
  const isKept = kept === text.length;
  return (
    <li class="message">
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <b>{roleNames[role]}</b>{' '}
          <span class="muted small figure">
            {plural(text.length, 'character')}
            {isKept && ' · as before'}
          </span>
        </summary>
        {open && <Sections message={message} />}
      </details>
    </li>
  );
}

const roleNames = {
  tools: "tools, as the provider's own definitions",
  system: 'system',
  user: 'user',
  assistant: 'assistant',
  'tool results': 'tool results',
  'example task': 'user, in an example of the form',
  'example reply': 'assistant, in an example of the form',
} as const satisfies Record<PromptMessage['role'], string>;

function Sections({ message: { text, kept } }: { message: PromptMessage }) {
  const sections = useMemo(() => sectionsOf(text), [text]);
  return (
    <>
      {sections.map((section) => (
        <Section key={section.start} section={section} text={text} kept={kept} />
      ))}
    </>
  );
}

interface SectionProps {
  readonly section: PromptSection;
  readonly text: string;
  readonly kept: number;
}

function Section({ section: { title, start, end }, text, kept }: SectionProps) {
  const [open, setOpen] = useState(end - start < FOLDED_FROM);
  const body = <Pieces text={text.slice(start, end)} kept={Math.max(0, kept - start)} />;
  if (title === null) return body;
  return (
    <details class="fence" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <ItemName name={title} /> <span class="muted small figure">{plural(end - start, 'character')}</span>
      </summary>
      {open && body}
    </details>
  );
}

/** Fences longer than this number of characters start collapsed. */
const FOLDED_FROM = 4_000;
const WINDOW = { lines: 200, characters: 20_000 };

function Pieces({ text, kept }: { text: string; kept: number }) {
  const [same, fresh] = [text.slice(0, kept), text.slice(kept)];
  return (
    <div class="exact-text">
      {same !== '' && (
        <div class="kept">
          <LongText isExact text={same} {...WINDOW} />
        </div>
      )}
      {fresh !== '' && <LongText isExact text={fresh} {...WINDOW} />}
    </div>
  );
}
