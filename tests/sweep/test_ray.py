"""A sweep on a Ray cluster of several nodes on this machine, whose workers, nodes and driver are killed."""

import os
import random
import signal
import time

import psutil
import pytest

from lm_eval_sea.sweep.plan import PlanError
from tests.conftest import ROOT
from tests.sweep import plans

pytest.importorskip("ray", reason="needs ray: pip install 'lm-eval-sea[ray]'")
pytestmark = pytest.mark.slow
# two models, three tasks, four numbers of exemplars: 24 jobs
PLAN = {"tasks": ["sea_xcopa_th_to_ppl", "sea_xcopa_vi_to_ppl", "sea_xcopa_id_to_ppl"], "num_fewshot": [0, 1, 2, 3]}


@pytest.fixture
def cluster():
    """A head that runs no jobs, and two nodes of one CPU."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "PYTHONPATH": str(ROOT)}  # no token in HOME
    os.environ |= {"RAY_worker_niceness": "0"}  # Ray's own is 15, with which jobs on a busy machine hardly go on
    from ray.cluster_utils import Cluster

    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    found.add_node(num_cpus=1)
    found.add_node(num_cpus=1)
    found.wait_for_nodes()
    yield found
    found.shutdown()


def workers_at_work(cluster):
    """The processes of Ray that wait for a job."""
    processes = [process for process in psutil.process_iter(["cmdline"]) if process.info["cmdline"]]
    jobs = [process for process in processes if "lm_eval_sea.sweep.job_process" in process.info["cmdline"]]
    ours = {each.process.pid for node in cluster.list_all_nodes() for group in node.all_processes.values() for each in group}
    return [parent for job in jobs if (parent := job.parent()) and ours & {each.pid for each in parent.parents()}]


def test_killed_workers_nodes_and_drivers_change_nothing(models, tmp_path, samples, cluster):
    output = tmp_path / "out"
    undisturbed = plans.run_here(models, tmp_path / "undisturbed", samples, **PLAN)
    chance = random.Random(0)

    def after(jobs, process):
        """Waits for some jobs, and then for some time after another has begun."""
        plans.wait_for_jobs(output, jobs, process, lambda: workers_at_work(cluster))
        time.sleep(chance.uniform(0, 3))
        assert process.poll() is None, plans.finish(process)
        assert plans.complete(output) < 24

    driver = plans.start_sweep(models, output, samples, "--address", cluster.address, anew=True, **PLAN)
    after(chance.randint(2, 4), driver)
    chance.choice(workers_at_work(cluster)).kill()
    after(chance.randint(6, 8), driver)
    cluster.remove_node(chance.choice(list(cluster.worker_nodes)), allow_graceful=False)
    cluster.add_node(num_cpus=1)
    after(chance.randint(11, 13), driver)
    driver.send_signal(signal.SIGKILL)
    driver.wait(60)
    driver.stdout.close()
    driver.stderr.close()
    status, _, err = plans.finish(plans.start_sweep(models, output, samples, "--address", cluster.address, anew=True, **PLAN))
    assert status == 0, err
    plans.assert_it_ended_as_if_undisturbed(output, undisturbed, jobs=24)


def test_a_signal_that_ends_a_sweep_stops_its_jobs(models, tmp_path, samples, cluster):
    driver = plans.start_sweep(models, tmp_path / "out", samples, "--address", cluster.address, anew=True)
    plans.wait_for(lambda: workers_at_work(cluster), driver)
    driver.send_signal(signal.SIGTERM)
    status, out, err = plans.finish(driver)
    assert status == 130, err
    assert out.startswith("0 of 2 jobs are complete; to continue: lm-eval-sea sweep ")
    assert out.strip().endswith(f"--address {cluster.address}")
    plans.wait_for(lambda: not workers_at_work(cluster))


def test_a_cluster_that_may_want_a_token(monkeypatch):
    """Ray's error is the same as for a wrong address; only its log has the reason."""
    import ray

    from lm_eval_sea.sweep.engine_ray import RayEngine

    def refused(**_):
        raise ConnectionError("Failed to connect to Ray cluster at 127.0.0.1:9")

    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    monkeypatch.setattr(ray, "init", refused)  # it would try for minutes
    with pytest.raises(PlanError, match="no Ray cluster answers there; if it has a token, set RAY_AUTH_MODE=token"):
        RayEngine("127.0.0.1:9")
