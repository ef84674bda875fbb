import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../api/src/config.ts';
import { brokerEnvShape } from '../broker/src/env.ts';
import { defaultValues, renderChart, renderTemplate, type KubernetesObject } from './helm-chart.ts';
import { read, root, unknownTo } from './program-files.ts';

const values = defaultValues();
const objectOf = (name: string) => parseOrThrow(z.record(z.string(), z.unknown()), values[name]);
const installations: Record<string, KubernetesObject[]> = {
  'our broker': renderChart(values),
  'an outside broker, and autoscaling': renderChart({
    ...values,
    api: { ...objectOf('api'), autoscaling: { enabled: true, maxReplicas: 6, lagSeconds: '2' } },
    broker: { ...objectOf('broker'), own: false },
  }),
};

const labels = z.record(z.string(), z.string());
const envShape = z.array(z.object({ name: z.string(), value: z.string().optional() }));
const deploymentShape = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        containers: z.tuple([
          z.object({
            image: z.string(),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
            env: envShape,
          }),
        ]),
      }),
    }),
  }),
});
const deploymentsOf = (objects: readonly KubernetesObject[]) =>
  objects.filter(({ kind }) => kind === 'Deployment').map((object) => parseOrThrow(deploymentShape, object));
const environmentOf = (objects: readonly KubernetesObject[], name: string): Record<string, string> => {
  const [container] = deploymentsOf(objects)
    .filter(({ metadata }) => metadata.name === name)
    .flatMap(({ spec }) => spec.template.spec.containers);
  return Object.fromEntries(container?.env.map((each) => [each.name, each.value ?? 'a secret of the namespace']) ?? []);
};
/** Of the secret. */
const secrets = {
  DATABASE_URL: 'postgres://roastery:secret@postgres/roastery',
  BROKER_SECRET: 'a secret of the namespace',
  SECRET_KEY: 'x'.repeat(32),
};

/** The module of `kubernetes-types`, which is generated from the published API of Kubernetes. */
const typesOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.replace('.k8s.io', '') : `core/${apiVersion}`;

/** The compiler's errors about objects under the types of Kubernetes: unknown, missing and wrong fields. */
const complaintsAbout = (objects: readonly KubernetesObject[]): string => {
  const lines = objects.map(
    (object, n) =>
      `export const object${n}: import('kubernetes-types/${typesOf(object.apiVersion)}').${object.kind} = ${JSON.stringify(object)};`,
  );
  const cache = path.join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'helm-'));
  const file = path.join(folder, 'objects.ts');
  writeFileSync(file, lines.join('\n'));
  const options = ['--noEmit', '--strict', '--ignoreConfig', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, file], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return stdout;
};

describe.each(Object.entries(installations))('helm chart with %s', (_, objects) => {
  it('has objects of the Kubernetes API with known fields', () => {
    expect(complaintsAbout(objects)).toBe('');
    const [first] = objects;
    expect(complaintsAbout([parseOrThrow(z.custom<KubernetesObject>(), { ...first, spec: { replica: 2 } })])).toContain(
      'replica',
    );
  });

  it('has selectors that match a deployment, and ports that it opens', () => {
    const deployments = deploymentsOf(objects);
    const serviceShape = z.object({
      selector: labels.optional(),
      ports: z.array(z.object({ targetPort: z.string().optional() })),
    });
    const matches = (selector: Record<string, string>) =>
      deployments.filter(({ spec }) =>
        Object.entries(selector).every(([name, value]) => spec.template.metadata.labels[name] === value),
      );
    for (const { spec } of deployments) expect(matches(spec.selector.matchLabels)).toHaveLength(1);
    for (const { kind, spec } of objects) {
      if (kind !== 'Service') continue;
      const { selector, ports } = parseOrThrow(serviceShape, spec);
      if (selector === undefined) continue;
      const opened = matches(selector).flatMap((each) => each.spec.template.spec.containers[0].ports);
      expect(opened.map(({ name }) => name)).toEqual(expect.arrayContaining(ports.map(({ targetPort }) => targetPort)));
    }
    const names = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    const asked = [...JSON.stringify(objects).matchAll(/\/\/(roastery-[\w-]+):/g)].map(([, name]) => `Service ${name}`);
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
  });

  it('gives the programs a valid environment without unknown variables', () => {
    const api = environmentOf(objects, 'roastery-api');
    const broker = environmentOf(objects, 'roastery-broker');
    expect(unknownTo('api', Object.keys(api))).toEqual([]);
    expect(Object.keys(broker).filter((name) => !(name in brokerEnvShape.shape))).toEqual([]);
    expect(readConfig({ ...api, ...secrets })).toMatchObject({ publicUrl: 'https://roastery.example.org' });
    expect(brokerEnvShape.parse({ BROKER_SECRET: secrets.BROKER_SECRET, ...broker })).toMatchObject({
      MQTT_PORT: 1883,
    });
  });
});

describe('helm chart', () => {
  it('divides the journals only with an outside broker, and scales by a metric of the api', () => {
    const [own = [], outside = []] = Object.values(installations);
    expect(environmentOf(own, 'roastery-api')['MQTT_SHARED_INGEST']).toBeUndefined();
    expect(environmentOf(outside, 'roastery-api')['MQTT_SHARED_INGEST']).toBe('true');
    expect(environmentOf(outside, 'roastery-broker')).toEqual({});
    const [, metric = 'none'] = /metric":\{"name":"(\w+)"/.exec(JSON.stringify(outside)) ?? [];
    expect(readFileSync(path.join(root, 'api', 'src', 'ingest', 'ingest.ts'), 'utf8')).toContain(`'${metric}'`);
    expect(own.some(({ kind }) => kind === 'HorizontalPodAutoscaler')).toBe(false);
  });

  it('has the version of the programs', () => {
    const { version } = parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    expect(parse(read('helm', 'Chart.yaml'))).toMatchObject({ version, appVersion: version });
    expect(objectOf('image')['tag']).toBe(version);
  });

  it('uses no construct that the test does not support, and no missing value', () => {
    const input = { Values: { name: 'a "name"' }, Release: { Name: 'r' } };
    expect(renderTemplate('{{- if .Values.name }}\na: {{ .Values.name | quote }}\n{{- end }}', input)).toBe(
      'a: "a \\"name\\""',
    );
    for (const text of [
      '{{ include "x" . }}',
      '{{ .Values.other }}',
      '{{- range .Values.name }}',
      '{{- if .Values.name }}',
    ])
      expect(() => renderTemplate(text, input), text).toThrow(/not known|not a value|without its end/);
  });
});
