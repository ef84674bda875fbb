/** One instruction of a Dockerfile, as far as the checks here need it. */
export interface Instruction {
  readonly line: number;
  readonly name: string;
  readonly rest: string;
}

export interface Stage {
  readonly name: string;
  readonly base: string;
  readonly instructions: Instruction[];
}

/** Reads the stages of a Dockerfile. Continuation lines are joined, comments dropped; here-documents are not understood. */
export const readStages = (text: string): Stage[] => {
  const stages: Stage[] = [];
  let pending = '';
  for (const [index, raw] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(raw)) continue;
    pending += raw.endsWith('\\') ? `${raw.slice(0, -1)} ` : raw;
    if (raw.endsWith('\\')) continue;
    const [, name = '', rest = ''] = /^\s*(\S+)\s+(.*)$/.exec(pending) ?? [];
    pending = '';
    const from = name === 'FROM' ? /^(\S+)\s+AS\s+(\S+)$/i.exec(rest) : null;
    if (name === 'FROM') {
      if (!from?.[1] || !from[2]) throw new Error(`line ${index + 1}: every stage needs a name`);
      stages.push({ base: from[1], name: from[2], instructions: [] });
    } else stages.at(-1)?.instructions.push({ line: index + 1, name, rest });
  }
  return stages;
};

/** COPY: from which stage (undefined: the context), which paths, to where. */
export const readCopy = (rest: string): { from: string | undefined; sources: string[]; target: string } => {
  const words = rest.split(/\s+/).filter(Boolean);
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() ?? '';
  return { from, sources: words, target };
};
