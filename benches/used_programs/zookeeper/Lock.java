import java.io.File;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** Three clients queue for a lock of a ZooKeeper server. The last one is taken for the holder. */
public class Lock {
    static String holder(List<String> waiting) {
        String first = waiting.get(waiting.size() - 1);
        Collections.sort(waiting);
        return first;
    }

    public static void main(String[] args) throws Exception {
        File folder = Files.createTempDirectory("lock").toFile();
        ZooKeeperServer server = new ZooKeeperServer(folder, folder, 2000);
        NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
        factory.configure(new InetSocketAddress("127.0.0.1", 0), 10);
        factory.startup(server);
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper("127.0.0.1:" + factory.getLocalPort(), 20000, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
        client.create("/lock", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (String name : List.of("ann", "ben", "cem")) {
            client.create("/lock/n-", name.getBytes(StandardCharsets.UTF_8), Ids.OPEN_ACL_UNSAFE,
                    CreateMode.EPHEMERAL_SEQUENTIAL);
        }
        List<String> waiting = client.getChildren("/lock", false);
        Collections.sort(waiting);
        String holder = holder(waiting);
        String name = new String(client.getData("/lock/" + holder, false, null), StandardCharsets.UTF_8);
        System.out.println("held by " + name);
        client.close();
        factory.shutdown();
        server.shutdown();
        if (!name.equals("ann")) {
            throw new IllegalStateException("held by " + name);
        }
    }
}
