// Shows the scene that this page holds.  Nothing is loaded from elsewhere: the library, too, is in the page.

const el = (id) => document.getElementById(id);
const text = (id) => el(id).textContent;

async function unpack(id) {
  const packed = Uint8Array.from(atob(text(id)), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

async function library() {
  const links = {};
  for (const [file, name] of [["three.core.min.js", "./three.core.min.js"], ["three.module.min.js", "three"],
    ["OrbitControls.js", "controls"]]) {
    let source = new TextDecoder().decode(await unpack(file));
    // Modules name one another by paths that mean nothing inside of a page.
    source = source.replace(/(\bfrom\s*)(["'])(\.\/three\.core\.min\.js|three)\2/g,
      (_, from, quote, other) => from + quote + links[other] + quote);
    links[name] = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  }
  const loaded = [await import(links.three), await import(links.controls)];
  Object.values(links).forEach((link) => URL.revokeObjectURL(link));
  return loaded;
}

const ROW = 22;
const MARKERS = { light: 0xffd54a, camera: 0x5ec8ff, helper: 0x7ddc7d, shape: 0xd0a0ff, other: 0x999999 };
const about = JSON.parse(text("scene"));
const nodes = about.nodes;
document.title = about.title;
el("title").textContent = about.title;

// --- tree: only the rows in view exist, so that large scenes stay quick ---

const tree = el("tree"), rows = el("rows");
const depth = [], hasChildren = new Array(nodes.length).fill(false);
nodes.forEach((node, i) => {
  depth.push(node.parent < 0 ? 0 : depth[node.parent] + 1);
  if (node.parent >= 0) hasChildren[node.parent] = true;
});
const closed = new Set();
const flagged = new Set(about.missing.map((entry) => entry[0]));
let listed = [], selected = -1;

function list() {
  const wanted = el("search").value.trim().toLowerCase();
  listed = [];
  const inside = new Array(nodes.length).fill(false);
  nodes.forEach((node, i) => {
    if (wanted) {
      if (node.name.toLowerCase().includes(wanted) || node.class.toLowerCase().includes(wanted)) listed.push(i);
    } else {
      inside[i] = node.parent >= 0 && (inside[node.parent] || closed.has(node.parent));
      if (!inside[i]) listed.push(i);
    }
  });
  rows.style.height = `${listed.length * ROW}px`;
  draw();
}

function span(name, content) {
  const out = document.createElement("span");
  out.className = name;
  out.textContent = content;
  return out;
}

function draw() {
  const first = Math.max(0, Math.floor(tree.scrollTop / ROW) - 5);
  const last = Math.min(listed.length, first + Math.ceil(tree.clientHeight / ROW) + 10);
  const shown = [];
  for (let at = first; at < last; at++) {
    const i = listed[at], node = nodes[i], row = document.createElement("div");
    row.className = `row${i === selected ? " selected" : ""}${node.hidden ? " hidden" : ""}`;
    row.setAttribute("role", "treeitem");
    row.dataset.node = i;
    row.style.top = `${at * ROW}px`;
    row.style.paddingLeft = `${6 + 12 * Math.min(el("search").value.trim() ? 0 : depth[i], 16)}px`;
    row.append(span("twist", hasChildren[i] ? (closed.has(i) ? "▸" : "▾") : ""));
    if (flagged.has(i)) row.append(span("flag", "▲"));
    row.append(node.name || "(no name)", span("class", node.class));
    row.title = `${node.name} (${node.class})`;
    shown.push(row);
  }
  rows.replaceChildren(...shown);
}

rows.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (!row) return;
  const i = Number(row.dataset.node);
  if (event.target.className === "twist" && hasChildren[i]) {
    if (!closed.delete(i)) closed.add(i);
    list();
  } else select(i, true);
});
tree.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const next = listed[Math.min(listed.length - 1, Math.max(0, listed.indexOf(selected) + step))];
  if (next !== undefined) select(next, true);
});
tree.addEventListener("scroll", draw);
el("search").addEventListener("input", () => { tree.scrollTop = 0; list(); });
new ResizeObserver(draw).observe(tree);

function reveal(i) {
  for (let above = nodes[i].parent; above >= 0; above = nodes[above].parent) closed.delete(above);
  list();
  const at = listed.indexOf(i);
  if (at < 0) return;
  if (at * ROW < tree.scrollTop) tree.scrollTop = at * ROW;
  if ((at + 1) * ROW > tree.scrollTop + tree.clientHeight) tree.scrollTop = (at + 1) * ROW - tree.clientHeight;
  draw();
}

function tell(i) {
  const facts = [];
  if (i >= 0) {
    const node = nodes[i], mesh = about.meshes[node.mesh];
    facts.push(["name", node.name], ["class", node.class], ["id", node.id]);
    if (node.parent >= 0) facts.push(["parent", nodes[node.parent].name]);
    if (node.material) facts.push(["material", node.material]);
    if (mesh) facts.push(["mesh", `${mesh.vertices} vertices, ${mesh.polygons} polygons, ${mesh.triangles} triangles`]);
    for (const [owner, name, reason, approximate] of about.missing) {
      if (owner === i) facts.push([approximate ? "not exact" : "left out", `${name}: ${reason}`]);
    }
  }
  el("about").replaceChildren(...facts.flatMap(([key, value]) => {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = key;
    dd.textContent = value;
    return [dt, dd];
  }));
}

if (about.missing_count) {
  const box = el("missing"), more = about.missing_count - about.missing.length;
  const left = about.missing.filter((entry) => !entry[3]).length;
  box.hidden = false;
  box.querySelector("summary").textContent = `Not as in 3ds Max: ${left}${more ? "+" : ""} left out, ` +
    `${about.missing.length - left} not exact`;
  box.querySelector("ul").replaceChildren(...about.missing.map(([i, name, reason, approximate]) => {
    const item = document.createElement("li");
    item.textContent = `${nodes[i].name}: ${name}: ${reason}${approximate ? " (not exact)" : ""}`;
    item.addEventListener("click", () => select(i, true));
    return item;
  }));
  if (more) box.querySelector("ul").append(`and ${more} more`);
}

let select = (i) => { selected = i; tell(i); reveal(i); };
list();

// --- the view ---

const [THREE, { OrbitControls }] = await library().catch((error) => {
  el("message").textContent = `The library could not be started: ${error.message}`;
  throw error;
});
THREE.Object3D.DEFAULT_UP.set(0, 0, 1);
const canvas = el("view");
let renderer;
try {
  renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
} catch (error) {
  el("message").textContent = `This browser shows no WebGL: ${error.message}`;
  throw error;
}
renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
const world = new THREE.Scene();
world.background = new THREE.Color(0x3a3d44);
const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 1000);
const lamp = new THREE.DirectionalLight(0xffffff, 2.2);
lamp.position.set(-0.4, 0.6, 1);
camera.add(lamp, lamp.target);
lamp.target.position.set(0, 0, -1);
world.add(camera, new THREE.HemisphereLight(0xffffff, 0x8a8a90, 1.4));
const controls = new OrbitControls(camera, canvas);

const blob = await unpack("geometry");
const geometries = about.meshes.map((mesh) => {
  const geometry = new THREE.BufferGeometry();
  const add = (name, [at, count], kind, normalized) =>
    geometry.setAttribute(name, new THREE.BufferAttribute(new kind(blob, at, count), 3, normalized));
  add("position", mesh.positions, Float32Array, false);
  add("normal", mesh.normals, Int16Array, true);
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(blob, ...mesh.indices), 1));
  geometry.computeBoundingSphere();
  return geometry;
});

const paint = ({ color, opacity = 1, roughness = 0.7, metalness = 0 }) => new THREE.MeshStandardMaterial({
  color: new THREE.Color().setRGB(...color, THREE.SRGBColorSpace),
  // Metal without anything to reflect is black.
  roughness: Math.max(roughness, 0.25), metalness: metalness * 0.4, side: THREE.DoubleSide,
  transparent: opacity < 1, opacity: Math.max(opacity, 0.08), depthWrite: opacity > 0.5,
});
const surfaces = about.surfaces.map(paint);
const plain = new Map();
const wire = (color) => {
  const key = color.join();
  if (!plain.has(key)) plain.set(key, paint({ color }));
  return plain.get(key);
};

// Groups carry material ids, and each node has its own list of materials.
const grouped = new Map();
function geometryOf(node) {
  const order = about.meshes[node.mesh].groups;
  if (!grouped.has(node.mesh)) {
    order.forEach(([, start, count], slot) => geometries[node.mesh].addGroup(start, count, slot));
    grouped.set(node.mesh, true);
  }
  return [geometries[node.mesh], order.map(([id]) => surfaces[node.surfaces[id]])];
}

const curves = about.lines.map(([at, count]) => new THREE.BufferGeometry().setAttribute("position",
  new THREE.BufferAttribute(new Float32Array(blob, at, count), 3)));
const shapes = nodes.map((node, i) => {
  if (!node.matrix || (node.mesh === undefined && node.lines === undefined)) return null;
  let shape;
  if (node.mesh === undefined) {
    const color = new THREE.Color().setRGB(...node.color, THREE.SRGBColorSpace);
    shape = new THREE.LineSegments(curves[node.lines], new THREE.LineBasicMaterial({ color }));
    shape.userData = { node: i };
  } else {
    const [geometry, materials] = geometryOf(node);
    shape = new THREE.Mesh(geometry, materials);
    shape.userData = { node: i, materials };
  }
  shape.matrixAutoUpdate = false;
  shape.matrix.fromArray(node.matrix);
  shape.visible = !node.hidden;
  world.add(shape);
  return shape;
});
world.updateMatrixWorld(true);

function bounds(chosen) {
  const box = new THREE.Box3();
  for (const shape of chosen) {
    const own = shape.geometry.boundingBox ?? (shape.geometry.computeBoundingBox(), shape.geometry.boundingBox);
    box.union(own.clone().applyMatrix4(shape.matrixWorld));
  }
  return box;
}
const visible = () => shapes.filter((shape) => shape?.visible);
const place = (node) => new THREE.Vector3().fromArray(node.matrix, 12);

// Nodes without a mesh: small marks of one size on the screen.
const marked = nodes.map((node, i) => i).filter((i) => nodes[i].matrix && !shapes[i] && nodes[i].parent >= 0 &&
  !nodes[i].hidden);
const points = new THREE.BufferGeometry();
points.setAttribute("position", new THREE.Float32BufferAttribute(
  marked.flatMap((i) => place(nodes[i]).toArray()), 3));
points.setAttribute("color", new THREE.Float32BufferAttribute(
  marked.flatMap((i) => new THREE.Color(MARKERS[nodes[i].kind] ?? MARKERS.other).toArray()), 3));
const marks = new THREE.Points(points, new THREE.PointsMaterial({
  size: 8, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true }));
marks.frustumCulled = false;
marks.renderOrder = 1;
world.add(marks);
const outline = new THREE.Box3Helper(new THREE.Box3(), 0xffd54a);
outline.visible = false;
world.add(outline);

// Move the camera, without turning it, so far away that just the whole box is seen.
function frame(box) {
  const center = box.getCenter(new THREE.Vector3());
  const back = camera.position.clone().sub(controls.target).normalize();
  const right = new THREE.Vector3().crossVectors(camera.up, back).normalize();
  const up = new THREE.Vector3().crossVectors(back, right);
  const tall = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)) / 1.08, wide = tall * camera.aspect;
  const { min, max } = box;
  let distance = 1e-6;
  for (let corner = 0; corner < 8; corner++) {
    const at = new THREE.Vector3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z)
      .sub(center);
    distance = Math.max(distance, at.dot(back) + Math.abs(at.dot(right)) / wide,
      at.dot(back) + Math.abs(at.dot(up)) / tall);
  }
  controls.target.copy(center);
  camera.position.copy(center).addScaledVector(back, distance);
  controls.update();
}

let whole = new THREE.Sphere();
function clip() {
  // The whole scene stays in front of the camera, whatever part of it is framed.
  const distance = camera.position.distanceTo(whole.center);
  camera.far = Math.max(distance + whole.radius * 1.1, 1e-3) * 1.01;
  camera.near = Math.max(distance - whole.radius * 1.1, camera.position.distanceTo(controls.target) / 500,
    camera.far / 1e5);
  camera.updateProjectionMatrix();
}

function measure() {
  const box = bounds(visible());
  marked.forEach((i) => box.expandByPoint(place(nodes[i])));
  whole = box.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 20) : box.getBoundingSphere(new THREE.Sphere());
}

let asked = false;
function render() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    clip();
    renderer.render(world, camera);
  });
}

function resize() {
  const { clientWidth: width, clientHeight: height } = el("main");
  renderer.setSize(Math.max(width, 1), Math.max(height, 1), false);
  camera.aspect = Math.max(width, 1) / Math.max(height, 1);
  camera.updateProjectionMatrix();
  render();
}

select = (i, framed) => {
  selected = i;
  tell(i);
  reveal(i);
  outline.visible = false;
  const node = nodes[i];
  if (shapes[i]) {
    shapes[i].visible = true;
    outline.box = bounds([shapes[i]]);
    outline.visible = true;
    if (framed) frame(outline.box.clone());
  } else if (node.matrix && node.parent >= 0 && framed) {
    const at = place(node), size = new THREE.Vector3().setScalar(Math.max(whole.radius / 5, 1e-3));
    frame(new THREE.Box3().setFromCenterAndSize(at, size));
  }
  render();
};

function showAll() {
  measure();
  const box = bounds(visible());
  frame(box.isEmpty() ? new THREE.Box3().setFromCenterAndSize(whole.center,
    new THREE.Vector3().setScalar(whole.radius)) : box);
  render();
}

el("all").addEventListener("click", () => {
  selected = -1;
  tell(-1);
  draw();
  outline.visible = false;
  show();
  showAll();
});
function show() {
  shapes.forEach((shape, i) => { if (shape) shape.visible = !nodes[i].hidden || el("hidden").checked; });
}
el("hidden").addEventListener("change", () => { show(); measure(); render(); });
el("markers").addEventListener("change", () => { marks.visible = el("markers").checked; render(); });
el("wires").addEventListener("change", () => {
  for (const material of [...surfaces, ...plain.values()]) material.wireframe = el("wires").checked;
  render();
});
el("wirecolors").addEventListener("change", () => {
  for (const shape of shapes) {
    if (!shape?.userData.materials) continue;
    const own = shape.userData.materials;
    shape.material = el("wirecolors").checked ? own.map(() => wire(nodes[shape.userData.node].color)) : own;
  }
  for (const material of plain.values()) material.wireframe = el("wires").checked;
  render();
});

let pressed = null;
canvas.addEventListener("pointerdown", (event) => { pressed = [event.clientX, event.clientY]; });
canvas.addEventListener("pointerup", (event) => {
  if (!pressed || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
  const area = canvas.getBoundingClientRect();
  const at = new THREE.Vector2((event.clientX - area.left) / area.width * 2 - 1,
    1 - (event.clientY - area.top) / area.height * 2);
  const ray = new THREE.Raycaster();
  ray.setFromCamera(at, camera);
  ray.params.Line.threshold = camera.position.distanceTo(controls.target) / 200;
  const hit = ray.intersectObjects(visible(), false)[0];
  if (hit) select(hit.object.userData.node, false);
});
canvas.addEventListener("dblclick", () => { if (selected >= 0) select(selected, true); });
controls.addEventListener("change", render);
new ResizeObserver(resize).observe(el("main"));

camera.position.set(1, -1.6, 1);
resize();
showAll();
el("message").textContent = shapes.some(Boolean) ? "" : "No node of this scene has anything that can be shown.";
document.body.dataset.ready = "yes";
window.preview = { nodes, camera, controls, shapes, select: (i) => select(i, true), selected: () => selected };
