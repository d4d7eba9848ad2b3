"""Sections, materials, meshes, readers of meshes and matrices, and components."""

from supple.fem.base.buckling import ComponentBuckling as ComponentBuckling
from supple.fem.base.component import mass_properties as mass_properties
from supple.fem.base.component import rigid_modes as rigid_modes
from supple.fem.base.imported import ImportedComponent as ImportedComponent
from supple.fem.base.vibration import lowest_modes as lowest_modes
from supple.fem.checks.component import ComponentReport as ComponentReport
from supple.fem.checks.component import check_component as check_component
from supple.fem.files.abaqus import read_abaqus as read_abaqus
from supple.fem.files.matrix_files import load_component as load_component
from supple.fem.files.matrix_files import read_calculix as read_calculix
from supple.fem.files.matrix_files import read_matrix_market as read_matrix_market
from supple.fem.files.matrix_files import save_component as save_component
from supple.fem.files.mesh_data import MeshData as MeshData
from supple.fem.files.mesh_data import mesh_geometry as mesh_geometry
from supple.fem.files.mesh_data import read_mesh as read_mesh
from supple.fem.files.nastran import read_nastran as read_nastran
from supple.fem.recovery.section_points import principal_strains as principal_strains
from supple.fem.recovery.section_points import rosette_strain as rosette_strain
from supple.fem.shells.points import plane_von_mises as plane_von_mises
from supple.fem.shells.shell import ShellMesh as ShellMesh
from supple.fem.shells.shell import plate as plate
from supple.fem.solids.solid import SolidMesh as SolidMesh
from supple.fem.solids.solid import block as block
from supple.fem.ties.interface import Interface as Interface
from supple.fem.ties.tied import tie as tie
