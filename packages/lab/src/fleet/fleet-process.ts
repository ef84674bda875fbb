import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The task of a process of boards. */
export interface FleetPlan {
  /** Of the only broker. */
  readonly port: number;
  /** `mqtt://host:port` of several, between which boards choose as the agent does. */
  readonly brokers?: readonly string[];
  readonly serials: readonly string[];
  readonly channels: number;
  /** Samples that a board cuts each second. */
  readonly samplesPerBatch: number;
  /** Seconds that a board gathers into a batch, 1 by default; an agent between roasts gathers for 60. */
  readonly sendEverySeconds?: number;
  /** Journals use QoS 1, and a board only waits for the broker's receipt. */
  readonly isUsual?: boolean;
}

/** The results of its boards so far. */
export interface FleetReport {
  /** Samples that were cut, those of them that were to be sent by now, and those that the server acknowledged. */
  readonly cut: number;
  readonly due: number;
  readonly acknowledged: number;
  /** Messages that acknowledged them. */
  readonly acknowledgements: number;
  /** Batches that were sent again because their acknowledgement was overdue. */
  readonly resent: number;
  readonly lostConnections: number;
  readonly refused: number;
  readonly open: number;
  /** Boards whose present connection has seen an acknowledgement. */
  readonly acknowledgedBoards: number;
}

/** A process of boards. */
export const startFleet = (plan: FleetPlan) => {
  const script = fileURLToPath(new URL('../../dist/fleet/board-fleet.js', import.meta.url));
  const child = fork(script, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    // Tests read sources; this program is built.
    execArgv: [],
  });
  child.send(plan);
  return {
    pid: child.pid ?? 0,
    async report(): Promise<FleetReport> {
      child.send('report');
      const [report] = (await once(child, 'message')) as [FleetReport];
      return report;
    },
    /** Boards stay connected and send gathered and waiting entries within a second, but create no new ones. */
    stopCutting: (): void => void child.send('stop-cutting'),
    async close(): Promise<void> {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};
export type Fleet = ReturnType<typeof startFleet>;

/** Boards in as many processes as needed: one has no more than some 10,000 sockets. */
export const startFleets = (
  plan: FleetPlan,
  { boardsPerProcess = 10_000 }: { boardsPerProcess?: number } = {},
): Fleet[] => {
  const processes = Math.ceil(plan.serials.length / boardsPerProcess);
  return Array.from({ length: processes }, (_, n) => {
    const serials = plan.serials.slice(n * boardsPerProcess, (n + 1) * boardsPerProcess);
    return startFleet({ ...plan, serials });
  });
};

/** The results of all processes. */
export const reportOf = async (fleets: readonly Fleet[]) => {
  const reports = await Promise.all(fleets.map((fleet) => fleet.report()));
  const sum = (of: (report: FleetReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  return {
    cut: sum(({ cut }) => cut),
    due: sum(({ due }) => due),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    acknowledgements: sum(({ acknowledgements }) => acknowledgements),
    resent: sum(({ resent }) => resent),
    lost: sum(({ lostConnections }) => lostConnections),
    open: sum(({ open }) => open),
    heard: sum(({ acknowledgedBoards }) => acknowledgedBoards),
  };
};

export const closeFleets = async (fleets: readonly Fleet[]): Promise<void> => {
  await Promise.all(fleets.map((fleet) => fleet.close()));
};
